/** Fields of requests that name a simulated phone. */
import * as z from "zod";
import { channelKinds } from "./records.ts";

export const instanceFields = {
  provider: z.enum(channelKinds),
  instance: z.string().min(1),
};

export const phoneFields = {
  ...instanceFields,
  /** The phone's number as the provider addresses it. */
  waId: z.string().regex(/^\d{8,15}$/),
};

/** A user id as Meta gives it out. */
export const userIdSchema = z.string().regex(/^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/);

/** What a person types. */
export const textSchema = z.string().trim().min(1).max(4_096);
