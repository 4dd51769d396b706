/**
 * Every member of WhatsApp's message object, by the protocol that Baileys 7.0 speaks (`WAProto.proto`,
 * `message Message`): what wraps another message, what holds content, and what is silent.
 */
import { assert, assertEquals } from "../../../support/assert.ts";
import { evolutionEvent, evolutionMessage, readEvents } from "../event_payloads.ts";

type Json = Record<string, unknown>;

/** Members that hold a whole message: `FutureProofMessage`, `CommentMessage`, `DeviceSentMessage`. */
const wrappers = [
  ...["deviceSentMessage", "viewOnceMessage", "ephemeralMessage", "documentWithCaptionMessage"],
  ...["viewOnceMessageV2", "editedMessage", "viewOnceMessageV2Extension", "groupMentionedMessage"],
  ...["botInvokeMessage", "lottieStickerMessage", "commentMessage", "eventCoverImage"],
  ...["statusMentionMessage", "pollCreationOptionImageMessage", "associatedChildMessage"],
  ...["groupStatusMentionMessage", "pollCreationMessageV4", "statusAddYours", "groupStatusMessage"],
  ...["limitSharingMessage", "botTaskMessage", "questionMessage", "groupStatusMessageV2"],
  ...["botForwardedMessage", "questionReplyMessage"],
];

const key = { remoteJid: "5511987654321@s.whatsapp.net", fromMe: true, id: "M1" };
const poll = { name: "Dia?", options: [{ optionName: "Segunda" }], selectableOptionsCount: 1 };
const votes = { name: "Dia?", pollVotes: [{ optionName: "Segunda", optionVoteCount: 3 }] };
const channel = { newsletterJid: "1@newsletter", newsletterName: "Ofertas" };
const buttons = { contentText: "Escolha", buttons: [] };

/** A value of each kind of content, and the message that it reads as. */
const contents: Readonly<Record<string, readonly [value: unknown, told: string | undefined]>> = {
  conversation: ["Oi", "Oi"],
  extendedTextMessage: [{ text: "Oi" }, "Oi"],
  imageMessage: [{ mimetype: "image/jpeg", caption: "Assim" }, "Assim"],
  videoMessage: [{ mimetype: "video/mp4", caption: "Assim" }, "Assim"],
  ptvMessage: [{ mimetype: "video/mp4" }, undefined],
  audioMessage: [{ mimetype: "audio/ogg" }, undefined],
  stickerMessage: [{ mimetype: "image/webp" }, undefined],
  documentMessage: [{ mimetype: "application/pdf", caption: "Segue" }, "Segue"],
  contactMessage: [{ displayName: "Bia", vcard: "" }, "[contact] Bia"],
  contactsArrayMessage: [{ displayName: "2 contatos", contacts: [] }, "[contact] 2 contatos"],
  locationMessage: [{ degreesLatitude: 1, degreesLongitude: 2 }, "[location] 1 2"],
  liveLocationMessage: [{ degreesLatitude: 1, degreesLongitude: 2 }, "[location] 1 2"],
  reactionMessage: [{ key, text: "👍" }, "[reaction] 👍"],
  sendPaymentMessage: [{ noteMessage: { conversation: "Sinal" } }, "[payment] Sinal"],
  requestPaymentMessage: [{ noteMessage: { conversation: "Sinal" } }, "[payment] request, Sinal"],
  declinePaymentRequestMessage: [{ key }, "[payment] declined"],
  cancelPaymentRequestMessage: [{ key }, "[payment] canceled"],
  paymentInviteMessage: [{ expiryTimestamp: 1 }, "[payment]"],
  invoiceMessage: [{ note: "Fatura de maio" }, "[other] Fatura de maio"],
  templateMessage: [{ hydratedTemplate: { hydratedContentText: "Oi" } }, "[menu] Oi"],
  highlyStructuredMessage: [
    { hydratedHsm: { hydratedTemplate: { hydratedContentText: "Oi" } } },
    "[other] Oi",
  ],
  buttonsMessage: [buttons, "[menu] Escolha"],
  listMessage: [{ description: "Escolha", sections: [] }, "[menu] Escolha"],
  interactiveMessage: [{ body: { text: "Escolha" } }, "[menu] Escolha"],
  templateButtonReplyMessage: [{ selectedId: "a", selectedDisplayText: "Sim" }, "Sim"],
  buttonsResponseMessage: [{ selectedButtonId: "a", selectedDisplayText: "Sim" }, "Sim"],
  listResponseMessage: [{ singleSelectReply: { selectedRowId: "a" }, title: "Sim" }, "Sim"],
  interactiveResponseMessage: [{ body: { text: "Sim" } }, "Sim"],
  productMessage: [{ product: { title: "Bolo" } }, "[product] Bolo"],
  orderMessage: [{ message: "Dois", itemCount: 2 }, "[order] Dois"],
  pollCreationMessage: [poll, "[poll] Dia?, Segunda"],
  pollCreationMessageV2: [poll, "[poll] Dia?, Segunda"],
  pollCreationMessageV3: [poll, "[poll] Dia?, Segunda"],
  pollCreationMessageV5: [poll, "[poll] Dia?, Segunda"],
  pollUpdateMessage: [{ pollCreationMessageKey: key }, "[poll vote]"],
  pollResultSnapshotMessage: [votes, "[poll result] Dia?, Segunda: 3"],
  pollResultSnapshotMessageV3: [votes, "[poll result] Dia?, Segunda: 3"],
  eventMessage: [{ name: "Feira" }, "[event] Feira"],
  groupInviteMessage: [
    { groupJid: "1@g.us", groupName: "Clientes" },
    "[group invitation] Clientes",
  ],
  newsletterAdminInviteMessage: [channel, "[group invitation] Ofertas"],
  newsletterFollowerInviteMessageV2: [channel, "[group invitation] Ofertas"],
  scheduledCallCreationMessage: [{ title: "Reunião" }, "[other] Reunião"],
  scheduledCallEditMessage: [{ key }, "[other]"],
  bcallMessage: [{ sessionId: "1", caption: "Ligue" }, "[other] Ligue"],
  stickerPackMessage: [{ name: "Gatos" }, "[other] Gatos"],
  richResponseMessage: [{ submessages: [{ messageText: "A" }, { messageText: "B" }] }, "A\n\nB"],
  questionResponseMessage: [{ key, text: "Azul" }, "Azul"],
  statusQuestionAnswerMessage: [{ key, text: "Azul" }, "Azul"],
  statusQuotedMessage: [{ text: "Que lindo" }, "[other] Que lindo"],
  // What cannot be read, or says nothing in words, is at least seen.
  requestPhoneNumberMessage: [{}, "[other]"],
  encCommentMessage: [{ targetMessageKey: key }, "[other]"],
};

/** Keys, states and frames, which nobody wrote. */
const silent = [
  ...["senderKeyDistributionMessage", "fastRatchetKeySenderKeyDistributionMessage", "call", "chat"],
  ...["protocolMessage", "stickerSyncRmrMessage", "keepInChatMessage", "encReactionMessage"],
  ...["pinInChatMessage", "callLogMesssage", "messageHistoryBundle", "messageHistoryNotice"],
  ...["encEventResponseMessage", "placeholderMessage", "secretEncryptedMessage", "albumMessage"],
  ...["statusNotificationMessage", "statusStickerInteractionMessage", "messageContextInfo"],
];

/** `message Message` has so many members. */
const MEMBERS = 95;

function read(message: Json): Json[] {
  return readEvents("evolution", evolutionEvent("messages.upsert", evolutionMessage(message)))
    .filter((event) => event !== null);
}

Deno.test("the list of WhatsApp's messages is whole", () => {
  const members = new Set([...wrappers, ...Object.keys(contents), ...silent]);
  assertEquals(members.size, MEMBERS);
  assertEquals(wrappers.length + Object.keys(contents).length + silent.length, MEMBERS);
});

for (const wrapper of wrappers) {
  Deno.test(`${wrapper} loses nothing of the message in it`, () => {
    const beside = { messageContextInfo: { messageSecret: "c2VjcmV0" } };
    const picture = { imageMessage: { mimetype: "image/jpeg", caption: "Assim" }, ...beside };
    for (const message of [picture, { ephemeralMessage: { message: picture } }]) {
      const [event] = read({ ...beside, [wrapper]: { message, destinationJid: "1@s" } });
      assertEquals([event?.["messageType"], event?.["message"]], ["image", "Assim"]);
      assert(event?.["file"] !== undefined, "the file is known");
    }
  });
}

for (const [member, [value, told]] of Object.entries(contents)) {
  Deno.test(`${member} is told, alone and in every wrapper`, () => {
    const alone = read({ [member]: value });
    assertEquals([alone.length, alone[0]?.["message"]], [1, told]);
    for (const wrapper of ["associatedChildMessage", "botForwardedMessage", "aWrapperOfTomorrow"]) {
      assertEquals(read({ [wrapper]: { message: { [member]: value } } }), alone);
    }
  });
}

for (const member of silent) {
  Deno.test(`${member} is no message`, () => {
    assertEquals(read({ [member]: { key } }), []);
    assertEquals(read({ associatedChildMessage: { message: { [member]: { key } } } }), []);
  });
}

Deno.test("a comment and the answer to a question quote what they are about", () => {
  const comment = { message: { conversation: "Concordo" }, targetMessageKey: key };
  for (
    const message of [
      { commentMessage: comment },
      { ephemeralMessage: { message: { commentMessage: comment } } },
      { questionResponseMessage: { key, text: "Concordo" } },
    ]
  ) {
    const [event] = read(message);
    assertEquals([event?.["message"], event?.["quotedProviderMessageId"]], ["Concordo", "M1"]);
  }
});

Deno.test("what can be seen once is so in every wrapper", () => {
  const once = { viewOnceMessageV2: { message: { imageMessage: { mimetype: "image/jpeg" } } } };
  const [event] = read({
    groupMentionedMessage: { message: { ephemeralMessage: { message: once } } },
  });
  assertEquals(event?.["isViewOnce"], true);
});
