// Written by `deno task openapi` from the OpenAPI document. Do not edit.

import type { Answer, Body, CallOptions, Page, Query } from "./types.ts";

export interface MessagesMethods {
  /** Send, queue or schedule a message. */
  send(body: Body<"sendMessage">, options?: CallOptions): Promise<Answer<"sendMessage">>;
  /** Send a stored template. */
  sendTemplate(body: Body<"sendTemplateMessage">, options?: CallOptions): Promise<Answer<"sendTemplateMessage">>;
  /** Read the message history of a contact. */
  readHistory(query: Query<"readMessageHistory">, options?: CallOptions): Promise<Answer<"readMessageHistory">>;
  /** Sum up messages and their cost. */
  getUsage(query: Query<"getUsage">, options?: CallOptions): Page<"getUsage">;
  /** Read what is spent of the budget. */
  getBudget(query?: Query<"getBudget">, options?: CallOptions): Promise<Answer<"getBudget">>;
  /** Read a message. */
  get(id: string, query?: Query<"getMessage">, options?: CallOptions): Promise<Answer<"getMessage">>;
  /** Move a waiting message to another time, or edit a sent one. */
  move(id: string, body: Body<"moveMessage">, options?: CallOptions): Promise<Answer<"moveMessage">>;
  /** Cancel a queued message, or delete a sent one for everyone. */
  cancel(id: string, query?: Query<"cancelMessage">, options?: CallOptions): Promise<Answer<"cancelMessage">>;
  /** List messages. */
  list(query?: Query<"listMessages">, options?: CallOptions): Page<"listMessages">;
  /** Cancel all messages under a key. */
  cancelByKey(query: Query<"cancelMessages">, options?: CallOptions): Promise<Answer<"cancelMessages">>;
  /** Mark a received message as read. */
  read(id: string, body?: Body<"readMessage">, options?: CallOptions): Promise<Answer<"readMessage">>;
  /** Retry a failed or unconfirmed message. */
  retry(id: string, query?: Query<"retryMessage">, options?: CallOptions): Promise<Answer<"retryMessage">>;
  /** List queued messages. */
  listQueue(query?: Query<"listQueue">, options?: CallOptions): Page<"listQueue">;
  /** List the templates that can be sent. */
  listSendableTemplates(query?: Query<"listSendableTemplates">, options?: CallOptions): Page<"listSendableTemplates">;
  /** Check whether messages are being sent. */
  getHealth(query?: Query<"getInstanceHealth">, options?: CallOptions): Promise<Answer<"getInstanceHealth">>;
  /** Say what has become of a payment. */
  changePayment(id: string, body: Body<"changePayment">, options?: CallOptions): Promise<Answer<"changePayment">>;
}

export interface QuestionsMethods {
  /** List questions. */
  list(query?: Query<"listQuestions">, options?: CallOptions): Page<"listQuestions">;
  /** Read a question, or wait for its answer. */
  get(id: string, query?: Query<"getQuestion">, options?: CallOptions): Promise<Answer<"getQuestion">>;
  /** Cancel a question. */
  cancel(id: string, query?: Query<"cancelQuestion">, options?: CallOptions): Promise<Answer<"cancelQuestion">>;
}

export interface PaymentsMethods {
  /** List payment requests. */
  list(query?: Query<"listPayments">, options?: CallOptions): Page<"listPayments">;
  /** Say what has become of a payment, by your reference. */
  changeByReference(reference: string, body: Body<"changePaymentByReference">, options?: CallOptions): Promise<Answer<"changePaymentByReference">>;
}

export interface AdminMethods {
  /** List workspaces. */
  listWorkspaces(query?: Query<"listWorkspaces">, options?: CallOptions): Page<"listWorkspaces">;
  /** Create a workspace. */
  createWorkspace(body: Body<"createWorkspace">, options?: CallOptions): Promise<Answer<"createWorkspace">>;
  /** Read a workspace. */
  getWorkspace(id: string, options?: CallOptions): Promise<Answer<"getWorkspace">>;
  /** Update a workspace. */
  updateWorkspace(id: string, body: Body<"updateWorkspace">, options?: CallOptions): Promise<Answer<"updateWorkspace">>;
  /** List instances. */
  listInstances(query?: Query<"listInstances">, options?: CallOptions): Page<"listInstances">;
  /** Create an instance. */
  createInstance(body: Body<"createInstance">, options?: CallOptions): Promise<Answer<"createInstance">>;
  /** Read an instance. */
  getInstance(id: string, options?: CallOptions): Promise<Answer<"getInstance">>;
  /** Update an instance. */
  updateInstance(id: string, body: Body<"updateInstance">, options?: CallOptions): Promise<Answer<"updateInstance">>;
  /** List operators. */
  listOperators(query?: Query<"listOperators">, options?: CallOptions): Page<"listOperators">;
  /** Create an operator. */
  createOperator(body: Body<"createOperator">, options?: CallOptions): Promise<Answer<"createOperator">>;
  /** Read an operator. */
  getOperator(id: string, options?: CallOptions): Promise<Answer<"getOperator">>;
  /** Update an operator. */
  updateOperator(id: string, body: Body<"updateOperator">, options?: CallOptions): Promise<Answer<"updateOperator">>;
  /** List departments. */
  listDepartments(query?: Query<"listDepartments">, options?: CallOptions): Page<"listDepartments">;
  /** Create a department. */
  createDepartment(body: Body<"createDepartment">, options?: CallOptions): Promise<Answer<"createDepartment">>;
  /** Read a department. */
  getDepartment(id: string, options?: CallOptions): Promise<Answer<"getDepartment">>;
  /** Update a department. */
  updateDepartment(id: string, body: Body<"updateDepartment">, options?: CallOptions): Promise<Answer<"updateDepartment">>;
  /** List AI agents. */
  listAgents(query?: Query<"listAgents">, options?: CallOptions): Page<"listAgents">;
  /** Create an AI agent. */
  createAgent(body: Body<"createAgent">, options?: CallOptions): Promise<Answer<"createAgent">>;
  /** Read an AI agent. */
  getAgent(id: string, options?: CallOptions): Promise<Answer<"getAgent">>;
  /** Update an AI agent. */
  updateAgent(id: string, body: Body<"updateAgent">, options?: CallOptions): Promise<Answer<"updateAgent">>;
  /** List templates. */
  listTemplates(query?: Query<"listTemplates">, options?: CallOptions): Page<"listTemplates">;
  /** Create a template. */
  createTemplate(body: Body<"createTemplate">, options?: CallOptions): Promise<Answer<"createTemplate">>;
  /** Read a template. */
  getTemplate(id: string, options?: CallOptions): Promise<Answer<"getTemplate">>;
  /** Update a template. */
  updateTemplate(id: string, body: Body<"updateTemplate">, options?: CallOptions): Promise<Answer<"updateTemplate">>;
  /** Delete a template in one language. */
  deleteTemplate(id: string, query?: Query<"deleteTemplate">, options?: CallOptions): Promise<Answer<"deleteTemplate">>;
  /** List outbox entries. */
  listOutbox(query?: Query<"listOutbox">, options?: CallOptions): Page<"listOutbox">;
  /** Read the connection of an instance. */
  getConnection(id: string, options?: CallOptions): Promise<Answer<"getConnection">>;
  /** Get a QR code that connects a phone. */
  getConnectionQr(id: string, options?: CallOptions): Promise<Answer<"getConnectionQr">>;
  /** Get a code to type that connects a phone. */
  getConnectionCode(id: string, body: Body<"getConnectionCode">, options?: CallOptions): Promise<Answer<"getConnectionCode">>;
  /** Set the webhooks of an instance. */
  setConnectionWebhooks(id: string, options?: CallOptions): Promise<Answer<"setConnectionWebhooks">>;
  /** Restart the session of an instance. */
  restartConnection(id: string, options?: CallOptions): Promise<Answer<"restartConnection">>;
  /** End the session of an instance. */
  logOutConnection(id: string, options?: CallOptions): Promise<Answer<"logOutConnection">>;
  /** Make a link by which the owner connects the phone. */
  createConnectionLink(id: string, body?: Body<"createConnectionLink">, options?: CallOptions): Promise<Answer<"createConnectionLink">>;
  /** Revoke a connection link. */
  revokeConnectionLink(id: string, linkId: string, options?: CallOptions): Promise<Answer<"revokeConnectionLink">>;
  /** List the tokens of an instance. */
  listTokens(id: string, query?: Query<"listTokens">, options?: CallOptions): Page<"listTokens">;
  /** Issue a token for an instance. */
  createToken(id: string, body: Body<"createToken">, options?: CallOptions): Promise<Answer<"createToken">>;
  /** Read a token's record. */
  getToken(id: string, tokenId: string, options?: CallOptions): Promise<Answer<"getToken">>;
  /** Revoke a token. */
  revokeToken(id: string, tokenId: string, options?: CallOptions): Promise<Answer<"revokeToken">>;
  /** Check a template by the official channel's rules. */
  validateTemplate(body: Body<"validateTemplate">, options?: CallOptions): Promise<Answer<"validateTemplate">>;
  /** Submit a template to the official channel. */
  submitTemplate(id: string, body?: Body<"submitTemplate">, options?: CallOptions): Promise<Answer<"submitTemplate">>;
  /** Synchronize an instance's templates with the official channel. */
  syncTemplates(id: string, options?: CallOptions): Promise<Answer<"syncTemplates">>;
  /** Retry a dead outbox entry. */
  retryOutbox(id: string, options?: CallOptions): Promise<Answer<"retryOutbox">>;
  /** Hold the queue of an instance, or of all. */
  holdQueue(body: Body<"holdQueue">, options?: CallOptions): Promise<Answer<"holdQueue">>;
  /** List the instances that are held. */
  listQueueHolds(query?: Query<"listQueueHolds">, options?: CallOptions): Page<"listQueueHolds">;
  /** List what may have left before a restore. */
  listMayHaveLeft(query: Query<"listMayHaveLeft">, options?: CallOptions): Page<"listMayHaveLeft">;
  /** Settle what may have left before a restore. */
  settleMayHaveLeft(body: Body<"settleMayHaveLeft">, options?: CallOptions): Promise<Answer<"settleMayHaveLeft">>;
  /** Release the queue of an instance, or of all. */
  releaseQueue(body: Body<"releaseQueue">, options?: CallOptions): Promise<Answer<"releaseQueue">>;
  /** Read the rates of a workspace. */
  getRates(query: Query<"getRates">, options?: CallOptions): Promise<Answer<"getRates">>;
  /** Replace the rates of a workspace. */
  replaceRates(body: Body<"replaceRates">, options?: CallOptions): Promise<Answer<"replaceRates">>;
  /** Sum up an instance's messages and their cost. */
  getInstanceUsage(id: string, query: Query<"getInstanceUsage">, options?: CallOptions): Page<"getInstanceUsage">;
  /** Compare a month's sums with what the provider bills. */
  compareUsageWithProvider(id: string, query: Query<"compareUsageWithProvider">, options?: CallOptions): Promise<Answer<"compareUsageWithProvider">>;
  /** Seal stored credentials under the current key. */
  resealCredentials(options?: CallOptions): Promise<Answer<"resealCredentials">>;
  /** Check whether all instances' messages are being sent. */
  getServiceHealth(options?: CallOptions): Promise<Answer<"getServiceHealth">>;
}

export interface BatchesMethods {
  /** List batches. */
  list(query?: Query<"listBatches">, options?: CallOptions): Page<"listBatches">;
  /** Create a batch. */
  create(body: Body<"createBatch">, options?: CallOptions): Promise<Answer<"createBatch">>;
  /** Read a batch. */
  get(id: string, query?: Query<"getBatch">, options?: CallOptions): Promise<Answer<"getBatch">>;
  /** List a batch's recipients. */
  listRecipients(id: string, query?: Query<"listBatchRecipients">, options?: CallOptions): Page<"listBatchRecipients">;
  /** Add recipients to a draft. */
  addRecipients(id: string, body: Body<"addBatchRecipients">, options?: CallOptions): Promise<Answer<"addBatchRecipients">>;
  /** Ask what starting a draft would do. */
  dryRun(id: string, body?: Body<"dryRunBatch">, options?: CallOptions): Promise<Answer<"dryRunBatch">>;
  /** Start a batch. */
  start(id: string, body?: Body<"startBatch">, options?: CallOptions): Promise<Answer<"startBatch">>;
  /** Pause a batch. */
  pause(id: string, body?: Body<"pauseBatch">, options?: CallOptions): Promise<Answer<"pauseBatch">>;
  /** Resume a paused batch. */
  resume(id: string, body?: Body<"resumeBatch">, options?: CallOptions): Promise<Answer<"resumeBatch">>;
  /** Try what has failed again. */
  retryFailed(id: string, body?: Body<"retryFailedOfBatch">, options?: CallOptions): Promise<Answer<"retryFailedOfBatch">>;
  /** Cancel a batch. */
  cancel(id: string, body?: Body<"cancelBatch">, options?: CallOptions): Promise<Answer<"cancelBatch">>;
}

export interface ContactsMethods {
  /** Create or update a contact. */
  create(body: Body<"createContact">, options?: CallOptions): Promise<Answer<"createContact">>;
  /** Update a contact's fields and flags. */
  update(body: Body<"updateContact">, options?: CallOptions): Promise<Answer<"updateContact">>;
  /** Add and remove tags. */
  changeTags(body: Body<"changeContactTags">, options?: CallOptions): Promise<Answer<"changeContactTags">>;
  /** Record a contact's consent to marketing. */
  setConsent(body: Body<"setContactConsent">, options?: CallOptions): Promise<Answer<"setContactConsent">>;
  /** Block a person. */
  block(body: Body<"blockContact">, options?: CallOptions): Promise<Answer<"blockContact">>;
  /** End the block of a person. */
  unblock(body: Body<"unblockContact">, options?: CallOptions): Promise<Answer<"unblockContact">>;
  /** List and search contacts, or follow their changes. */
  list(query?: Query<"listContacts">, options?: CallOptions): Page<"listContacts">;
  /** Get a contact. */
  get(id: string, query?: Query<"getContact">, options?: CallOptions): Promise<Answer<"getContact">>;
  /** Erase a person. */
  erase(id: string, query?: Query<"eraseContact">, options?: CallOptions): Promise<Answer<"eraseContact">>;
  /** Export a person's data. */
  export(id: string, query?: Query<"exportContact">, options?: CallOptions): Promise<Answer<"exportContact">>;
  /** Get an erasure. */
  getErasure(id: string, query?: Query<"getErasure">, options?: CallOptions): Promise<Answer<"getErasure">>;
  /** Merge two contacts that are one person. */
  merge(body: Body<"mergeContacts">, options?: CallOptions): Promise<Answer<"mergeContacts">>;
}

export interface ConversationsMethods {
  /** Assign a conversation to an operator. */
  assign(body: Body<"assignConversation">, options?: CallOptions): Promise<Answer<"assignConversation">>;
  /** Take a conversation from its operator. */
  unassign(body: Body<"unassignConversation">, options?: CallOptions): Promise<Answer<"unassignConversation">>;
  /** List conversations. */
  list(query?: Query<"listConversations">, options?: CallOptions): Page<"listConversations">;
  /** Read a conversation. */
  get(id: string, query?: Query<"getConversation">, options?: CallOptions): Promise<Answer<"getConversation">>;
  /** List a conversation's internal notes. */
  listNotes(id: string, query?: Query<"listConversationNotes">, options?: CallOptions): Page<"listConversationNotes">;
  /** List a conversation's transfers. */
  listTransfers(id: string, query?: Query<"listConversationTransfers">, options?: CallOptions): Page<"listConversationTransfers">;
  /** Take, pass or release a conversation of the official channel. */
  control(body: Body<"controlConversation">, options?: CallOptions): Promise<Answer<"controlConversation">>;
  /** Change a conversation's status. */
  setStatus(body: Body<"setConversationStatus">, options?: CallOptions): Promise<Answer<"setConversationStatus">>;
  /** Add an internal note. */
  addNote(body: Body<"addInternalNote">, options?: CallOptions): Promise<Answer<"addInternalNote">>;
  /** Read the AI agent's pause for a contact. */
  getAgentPause(query?: Query<"getAgentPause">, options?: CallOptions): Promise<Answer<"getAgentPause">>;
  /** Pause or resume the AI agent for a contact. */
  setAgentPause(body: Body<"setAgentPause">, options?: CallOptions): Promise<Answer<"setAgentPause">>;
}

export interface EventsMethods {
  /** Read the feed of events. */
  list(query?: Query<"listEvents">, options?: CallOptions): Promise<Answer<"listEvents">>;
  /** List webhook endpoints. */
  listEndpoints(query?: Query<"listEndpoints">, options?: CallOptions): Page<"listEndpoints">;
  /** Create a webhook endpoint. */
  createEndpoint(body: Body<"createEndpoint">, options?: CallOptions): Promise<Answer<"createEndpoint">>;
  /** Read a webhook endpoint. */
  getEndpoint(id: string, query?: Query<"getEndpoint">, options?: CallOptions): Promise<Answer<"getEndpoint">>;
  /** Change a webhook endpoint. */
  updateEndpoint(id: string, body: Body<"updateEndpoint">, options?: CallOptions): Promise<Answer<"updateEndpoint">>;
  /** Delete a webhook endpoint. */
  deleteEndpoint(id: string, query?: Query<"deleteEndpoint">, options?: CallOptions): Promise<Answer<"deleteEndpoint">>;
  /** Replace an endpoint's secret. */
  rotateEndpointSecret(id: string, body?: Body<"rotateEndpointSecret">, options?: CallOptions): Promise<Answer<"rotateEndpointSecret">>;
  /** Send a test event. */
  testEndpoint(id: string, body?: Body<"testEndpoint">, options?: CallOptions): Promise<Answer<"testEndpoint">>;
  /** List an endpoint's deliveries. */
  listDeliveries(id: string, query?: Query<"listDeliveries">, options?: CallOptions): Page<"listDeliveries">;
  /** Send a delivery again. */
  resendDelivery(id: string, body?: Body<"resendDelivery">, options?: CallOptions): Promise<Answer<"resendDelivery">>;
  /** Send the events of a time again. */
  replay(id: string, body: Body<"replayEvents">, options?: CallOptions): Promise<Answer<"replayEvents">>;
}

export interface MediaMethods {
  /** Upload a file. */
  upload(file: Blob | FormData | Body<"uploadMedia">, options?: CallOptions): Promise<Answer<"uploadMedia">>;
  /** Read a file. */
  read(mediaId: string, query?: Query<"readMedia">, options?: CallOptions): Promise<Response>;
}

export interface AgentMethods {
  /** Start a conversation with the AI agent. */
  process(body: Body<"processAiAgent">, options?: CallOptions): Promise<Answer<"processAiAgent">>;
}

export interface PhoneNumbersMethods {
  /** Remove the formatting of a phone number. */
  sanitize(body: Body<"sanitizePhoneNumber">, options?: CallOptions): Promise<Answer<"sanitizePhoneNumber">>;
}

/** The client's methods, by group. */
export interface Groups {
  readonly messages: MessagesMethods;
  readonly questions: QuestionsMethods;
  readonly payments: PaymentsMethods;
  readonly admin: AdminMethods;
  readonly batches: BatchesMethods;
  readonly contacts: ContactsMethods;
  readonly conversations: ConversationsMethods;
  readonly events: EventsMethods;
  readonly media: MediaMethods;
  readonly agent: AgentMethods;
  readonly phoneNumbers: PhoneNumbersMethods;
}

/** Each method: its flags (b: body, q: query, p: page, r: response), HTTP method and path. */
export const routes: Readonly<Record<keyof Groups, Readonly<Record<string, string>>>> = {
  messages: {
    send: "b POST send-message",
    sendTemplate: "b POST send-template-message",
    readHistory: "q GET messages-context",
    getUsage: "qp GET messages-api/usage",
    getBudget: "q GET messages-api/usage/budget",
    get: "q GET messages-api/messages/{id}",
    move: "b PATCH messages-api/messages/{id}",
    cancel: "q DELETE messages-api/messages/{id}",
    list: "qp GET messages-api/messages",
    cancelByKey: "q DELETE messages-api/messages",
    read: "b POST messages-api/messages/{id}/read",
    retry: "q POST messages-api/messages/{id}/retry",
    listQueue: "qp GET messages-api/queue",
    listSendableTemplates: "qp GET messages-api/templates",
    getHealth: "q GET messages-api/health",
    changePayment: "b POST messages-api/messages/{id}/payment",
  },
  questions: {
    list: "qp GET messages-api/questions",
    get: "q GET messages-api/questions/{id}",
    cancel: "q DELETE messages-api/questions/{id}",
  },
  payments: {
    list: "qp GET messages-api/payments",
    changeByReference: "b POST messages-api/payments/{reference}",
  },
  admin: {
    listWorkspaces: "qp GET admin-api/workspaces",
    createWorkspace: "b POST admin-api/workspaces",
    getWorkspace: " GET admin-api/workspaces/{id}",
    updateWorkspace: "b PATCH admin-api/workspaces/{id}",
    listInstances: "qp GET admin-api/instances",
    createInstance: "b POST admin-api/instances",
    getInstance: " GET admin-api/instances/{id}",
    updateInstance: "b PATCH admin-api/instances/{id}",
    listOperators: "qp GET admin-api/operators",
    createOperator: "b POST admin-api/operators",
    getOperator: " GET admin-api/operators/{id}",
    updateOperator: "b PATCH admin-api/operators/{id}",
    listDepartments: "qp GET admin-api/departments",
    createDepartment: "b POST admin-api/departments",
    getDepartment: " GET admin-api/departments/{id}",
    updateDepartment: "b PATCH admin-api/departments/{id}",
    listAgents: "qp GET admin-api/agents",
    createAgent: "b POST admin-api/agents",
    getAgent: " GET admin-api/agents/{id}",
    updateAgent: "b PATCH admin-api/agents/{id}",
    listTemplates: "qp GET admin-api/templates",
    createTemplate: "b POST admin-api/templates",
    getTemplate: " GET admin-api/templates/{id}",
    updateTemplate: "b PATCH admin-api/templates/{id}",
    deleteTemplate: "q DELETE admin-api/templates/{id}",
    listOutbox: "qp GET admin-api/outbox",
    getConnection: " GET admin-api/instances/{id}/connection",
    getConnectionQr: " POST admin-api/instances/{id}/connection/qr",
    getConnectionCode: "b POST admin-api/instances/{id}/connection/code",
    setConnectionWebhooks: " POST admin-api/instances/{id}/connection/webhooks",
    restartConnection: " POST admin-api/instances/{id}/connection/restart",
    logOutConnection: " POST admin-api/instances/{id}/connection/logout",
    createConnectionLink: "b POST admin-api/instances/{id}/connection-link",
    revokeConnectionLink: " DELETE admin-api/instances/{id}/connection-link/{linkId}",
    listTokens: "qp GET admin-api/instances/{id}/tokens",
    createToken: "b POST admin-api/instances/{id}/tokens",
    getToken: " GET admin-api/instances/{id}/tokens/{tokenId}",
    revokeToken: " DELETE admin-api/instances/{id}/tokens/{tokenId}",
    validateTemplate: "b POST admin-api/templates/validate",
    submitTemplate: "b POST admin-api/templates/{id}/submit",
    syncTemplates: " POST admin-api/instances/{id}/templates/sync",
    retryOutbox: " POST admin-api/outbox/{id}/retry",
    holdQueue: "b POST admin-api/queue/hold",
    listQueueHolds: "qp GET admin-api/queue/holds",
    listMayHaveLeft: "qp GET admin-api/queue/may-have-left",
    settleMayHaveLeft: "b POST admin-api/queue/may-have-left/settle",
    releaseQueue: "b POST admin-api/queue/release",
    getRates: "q GET admin-api/rates",
    replaceRates: "b PUT admin-api/rates",
    getInstanceUsage: "qp GET admin-api/instances/{id}/usage",
    compareUsageWithProvider: "q GET admin-api/instances/{id}/usage/provider",
    resealCredentials: " POST admin-api/credentials/reseal",
    getServiceHealth: " GET admin-api/health",
  },
  batches: {
    list: "qp GET batches-api/batches",
    create: "b POST batches-api/batches",
    get: "q GET batches-api/batches/{id}",
    listRecipients: "qp GET batches-api/batches/{id}/recipients",
    addRecipients: "b POST batches-api/batches/{id}/recipients",
    dryRun: "b POST batches-api/batches/{id}/dry-run",
    start: "b POST batches-api/batches/{id}/start",
    pause: "b POST batches-api/batches/{id}/pause",
    resume: "b POST batches-api/batches/{id}/resume",
    retryFailed: "b POST batches-api/batches/{id}/retry-failed",
    cancel: "b POST batches-api/batches/{id}/cancel",
  },
  contacts: {
    create: "b POST contacts-api/create",
    update: "b POST contacts-api/update",
    changeTags: "b POST contacts-api/tags",
    setConsent: "b POST contacts-api/consent",
    block: "b POST contacts-api/block",
    unblock: "b POST contacts-api/unblock",
    list: "qp GET contacts-api/contacts",
    get: "q GET contacts-api/contacts/{id}",
    erase: "q DELETE contacts-api/contacts/{id}",
    export: "q GET contacts-api/contacts/{id}/export",
    getErasure: "q GET contacts-api/erasures/{id}",
    merge: "b POST contacts-api/merge",
  },
  conversations: {
    assign: "b POST conversations-api/assign",
    unassign: "b POST conversations-api/unassign",
    list: "qp GET conversations-api/conversations",
    get: "q GET conversations-api/conversations/{id}",
    listNotes: "qp GET conversations-api/conversations/{id}/notes",
    listTransfers: "qp GET conversations-api/conversations/{id}/transfers",
    control: "b POST conversations-api/control",
    setStatus: "b POST conversations-api/status",
    addNote: "b POST conversations-api/note",
    getAgentPause: "q GET conversations-api/agent-pause",
    setAgentPause: "b POST conversations-api/agent-pause",
  },
  events: {
    list: "q GET events-api/events",
    listEndpoints: "qp GET events-api/endpoints",
    createEndpoint: "b POST events-api/endpoints",
    getEndpoint: "q GET events-api/endpoints/{id}",
    updateEndpoint: "b PATCH events-api/endpoints/{id}",
    deleteEndpoint: "q DELETE events-api/endpoints/{id}",
    rotateEndpointSecret: "b POST events-api/endpoints/{id}/rotate-secret",
    testEndpoint: "b POST events-api/endpoints/{id}/test",
    listDeliveries: "qp GET events-api/endpoints/{id}/deliveries",
    resendDelivery: "b POST events-api/deliveries/{id}/resend",
    replay: "b POST events-api/endpoints/{id}/replay",
  },
  media: {
    upload: "b POST media-api/media",
    read: "qr GET media-api/media/{mediaId}",
  },
  agent: {
    process: "b POST process-ai-agent",
  },
  phoneNumbers: {
    sanitize: "b POST sanitize-phone-number",
  },
};

/** Codes of refusals. A newer service may have others. */
export type ErrorCode =
  | "Instance not found"
  | "Template does not belong to this instance"
  | "Template not found"
  | "agent_id_required"
  | "agent_not_found"
  | "already_connected"
  | "already_exists"
  | "batch_not_found"
  | "batch_state"
  | "connection_link_ended"
  | "connection_link_not_found"
  | "connection_not_available"
  | "connection_page_not_served"
  | "connection_pending"
  | "contact_blocked"
  | "contact_erased"
  | "contact_not_found"
  | "contact_opted_out"
  | "control_refused"
  | "conversation_not_found"
  | "cursor_expired"
  | "delivery_not_found"
  | "department_not_found"
  | "endpoint_not_active"
  | "endpoint_not_found"
  | "erasure_not_found"
  | "idempotency_key_in_progress"
  | "idempotency_key_reused"
  | "insufficient_scope"
  | "internal_error"
  | "invalid_client_token"
  | "invalid_json"
  | "invalid_media_link"
  | "invalid_phone"
  | "invalid_request"
  | "invalid_secret_key"
  | "invalid_webhook_secret"
  | "invalid_webhook_signature"
  | "media_expired"
  | "media_failed"
  | "media_fetch_failed"
  | "media_not_found"
  | "media_pending"
  | "message_not_cancelable"
  | "message_not_deletable"
  | "message_not_editable"
  | "message_not_found"
  | "message_not_movable"
  | "message_not_readable"
  | "message_not_retriable"
  | "missing_client_token"
  | "missing_variables"
  | "new_chat_locked"
  | "not_found"
  | "operator_not_found"
  | "outside_conversation_window"
  | "passkey_required"
  | "payload_too_large"
  | "payment_not_found"
  | "payment_state"
  | "people_scope"
  | "provider_connection_failed"
  | "provider_outbound_channel_not_configured"
  | "provider_outcome_unknown"
  | "provider_send_failed"
  | "provider_template_failed"
  | "provider_template_list_failed"
  | "provider_template_send_failed"
  | "provider_usage_failed"
  | "provider_usage_not_available"
  | "question_not_found"
  | "rate_limited"
  | "recipient_needs_phone"
  | "reference_in_use"
  | "replay_pending"
  | "request_timeout"
  | "secret_rotation_pending"
  | "send_window_never_opens"
  | "service_unavailable"
  | "session_not_found"
  | "templateId and phone are required"
  | "template_ambiguous"
  | "template_call_in_progress"
  | "template_edit_limit"
  | "template_not_approved"
  | "template_not_editable"
  | "template_not_found"
  | "template_not_synced_with_provider"
  | "template_outcome_unknown"
  | "template_submission_not_available"
  | "template_sync_not_available"
  | "token_not_found"
  | "too_many_endpoints"
  | "unsupported_media_type"
  | "unsupported_on_channel"
  | "workspace_not_found";
