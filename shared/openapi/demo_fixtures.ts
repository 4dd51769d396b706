/**
 * Values of the examples. They match supabase/seed.sql and the local stack's demo instance, so that
 * an example works there unchanged.
 */

/**
 * The day that the examples tell of: every instant in them lies around it. Tests move the examples by
 * the days since then, those of released versions too, so it stays as it is.
 */
export const demoDay = "2026-11-23";
/** `businessInstanceId` of the demo instance: one of the three forms of `instanceId`. */
export const demoInstanceRef = "demo";
export const demoInstanceId = "d0000000-0000-4000-8000-000000000101";
/** An instance beside it, on the official channel. Each provider's own example has one: see its docs.ts. */
export const demoOfficialInstanceId = "d0000000-0000-4000-8000-000000000102";
/** The secret of gateways' webhook addresses, and the official channel's verify token. */
export const demoWebhookSecret = "a-secret-for-the-webhook-address";
export const demoVerifyToken = "the-verify-token";
export const demoWorkspaceId = "d0000000-0000-4000-8000-000000000001";
export const demoDepartmentId = "d0000000-0000-4000-8000-000000000011";
export const demoOperatorId = "d0000000-0000-4000-8000-000000000021";
export const demoOperatorEmail = "ana@example.com";
export const demoAgentId = "d0000000-0000-4000-8000-000000000031";
export const demoTemplateId = "d0000000-0000-4000-8000-000000000041";
/** A template that an example deletes. */
export const demoFormerTemplateId = "d0000000-0000-4000-8000-000000000042";
export const demoTokenId = "d0000000-0000-4000-8000-000000000051";
export const demoConnectionLinkId = "d0000000-0000-4000-8000-000000000061";
/** A link that an example revokes. */
export const demoFormerLinkId = "d0000000-0000-4000-8000-000000000062";
/** The token of the first. */
export const demoConnectionToken = "mcl_k3Vd9yQz1mXw7rTb5nLc2hJf8gPs4aUe6oYi0vKxBqM";
export const demoPhone = "5511988887777";
export const demoContactId = "5b1f2c0e-8a34-4f6d-9d57-0b9c6a7e1f20";
/** That contact, as records of messages, questions and payments show it. */
export const demoContact = {
  contactId: demoContactId,
  phone: demoPhone,
  name: "Ana Souza",
  userId: null,
  username: null,
  lid: null,
};
/** A contact that an operation erases, and an erasure that is done. */
export const demoLeavingContactId = "7a4c1d90-52fe-4b8b-9a3d-6e1f0c2b8d41";
export const demoErasureId = "5d0c1a52-8d43-4a38-9c1b-0f6f3f0d8f6e";
/** A second contact of the demo person, which an operation merges. */
export const demoSecondContactId = "4f6d2c1a-8b3e-4c57-9a60-2f1e7d8c9b05";
export const demoConversationId = "9c7d4e21-3f58-4a0b-8e6c-2d1b5a4f7c33";
/** One message per operation that acts on one: sent, waiting in the queue, failed. */
export const demoSentMessageId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f01";
export const demoQueuedMessageId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f02";
export const demoFailedMessageId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f03";
export const demoReceivedMessageId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f04";
export const demoOutboxId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f04";
/** A question that is open. */
export const demoQuestionId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f41";
/** A payment that the sent message asks for. */
export const demoPaymentReference = "order-4711";
/** Webhook endpoints: one to keep, one to delete; and a delivery to the former. */
export const demoEndpointId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05";
export const demoFormerEndpointId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f06";
/** A draft with two recipients. */
export const demoBatchId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08";
export const demoDeliveryId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f07";
/** An uploaded picture. */
export const demoMediaId = "e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f31";
