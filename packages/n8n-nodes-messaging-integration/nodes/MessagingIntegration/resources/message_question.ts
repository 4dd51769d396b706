import type { INodeProperties } from "n8n-workflow";
import { additionalFields } from "../shared/fields";
import { questionSendingNames, sendingFields } from "../shared/sending";

const show = { resource: ["message"], operation: ["sendAndWait"] };

/** What is asked, what counts as the answer, and until when. */
export const questionFields: INodeProperties[] = [
  {
    displayName: "Question",
    name: "question",
    type: "string",
    typeOptions: { rows: 3 },
    default: "",
    required: true,
    displayOptions: { show },
    description: "What the person reads",
  },
  {
    displayName: "Answer",
    name: "accept",
    type: "options",
    options: [
      { name: "Any Message", value: "any" },
      { name: "Button", value: "choice", description: "One of the buttons, tapped or typed" },
      { name: "Contact Card", value: "contact" },
      { name: "CPF or CNPJ", value: "document", description: "With right check digits" },
      { name: "Date", value: "date" },
      { name: "Email Address", value: "email" },
      { name: "File", value: "media", description: "An image, video, audio or document" },
      { name: "Location", value: "location" },
      { name: "Number", value: "number" },
      { name: "Text", value: "text" },
    ],
    default: "choice",
    displayOptions: { show },
    description: "What counts as the answer. Other messages do not end the waiting.",
  },
  {
    displayName: "Buttons",
    name: "answerButtons",
    type: "fixedCollection",
    typeOptions: { multipleValues: true },
    placeholder: "Add Button",
    default: { button: [{ title: "Yes", id: "yes" }, { title: "No", id: "no" }] },
    displayOptions: { show: { ...show, accept: ["choice"] } },
    description: "1 to 3 buttons",
    options: [
      {
        displayName: "Button",
        name: "button",
        values: [
          { displayName: "Title", name: "title", type: "string", default: "" },
          {
            displayName: "ID",
            name: "id",
            type: "string",
            default: "",
            description: "What the answer names it by. Default: its position, starting at 1.",
          },
        ],
      },
    ],
  },
  {
    displayName: "Answer Within",
    name: "answerWithin",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 1,
    displayOptions: { show },
    description:
      "How long the question is open once its message has left, at most 30 days. Afterwards the workflow goes on with the status expired.",
  },
  {
    displayName: "Unit",
    name: "answerWithinUnit",
    type: "options",
    options: [
      { name: "Days", value: "days" },
      { name: "Hours", value: "hours" },
      { name: "Minutes", value: "minutes" },
    ],
    default: "days",
    displayOptions: { show },
  },
  additionalFields("message", ["sendAndWait"], [
    {
      displayName: "On Invalid",
      name: "onInvalid",
      type: "string",
      default: "",
      description: "What to say, once, when something comes that does not fit",
    },
    {
      displayName: "Question Key",
      name: "questionKey",
      type: "string",
      default: "",
      description: "Your own name for the question, given back with its end",
    },
    {
      displayName: "Remind After (Minutes)",
      name: "remindAfter",
      type: "number",
      typeOptions: { minValue: 1 },
      default: 60,
      description: "When to remind the person once",
    },
    {
      displayName: "Reminder",
      name: "reminder",
      type: "string",
      default: "",
      description: "Words of the reminder. Default: the question's own.",
    },
    ...sendingFields.filter(({ name }) => questionSendingNames.includes(name)),
  ]),
];
