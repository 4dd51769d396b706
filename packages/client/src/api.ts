// Written by `deno task openapi` from the OpenAPI document. Do not edit.

export interface paths {
    "/functions/v1/send-message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send, queue or schedule a message */
        post: operations["sendMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/send-template-message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a stored template */
        post: operations["sendTemplateMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the message history of a contact */
        get: operations["readMessageHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum up messages and their cost */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/usage/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what is spent of the budget */
        get: operations["getBudget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/messages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a message */
        get: operations["getMessage"];
        put?: never;
        post?: never;
        /** Cancel a queued message, or delete a sent one for everyone */
        delete: operations["cancelMessage"];
        options?: never;
        head?: never;
        /** Move a waiting message to another time, or edit a sent one */
        patch: operations["moveMessage"];
        trace?: never;
    };
    "/functions/v1/messages-api/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List messages */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        /** Cancel all messages under a key */
        delete: operations["cancelMessages"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/messages/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark a received message as read */
        post: operations["readMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/messages/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a failed or unconfirmed message */
        post: operations["retryMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List queued messages */
        get: operations["listQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the templates that can be sent */
        get: operations["listSendableTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/messages-api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether messages are being sent */
        get: operations["getInstanceHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List workspaces */
        get: operations["listWorkspaces"];
        put?: never;
        /** Create a workspace */
        post: operations["createWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a workspace */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update a workspace */
        patch: operations["updateWorkspace"];
        trace?: never;
    };
    "/functions/v1/admin-api/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List instances */
        get: operations["listInstances"];
        put?: never;
        /** Create an instance */
        post: operations["createInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/instances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an instance */
        get: operations["getInstance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update an instance */
        patch: operations["updateInstance"];
        trace?: never;
    };
    "/functions/v1/admin-api/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List operators */
        get: operations["listOperators"];
        put?: never;
        /** Create an operator */
        post: operations["createOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/operators/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an operator */
        get: operations["getOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update an operator */
        patch: operations["updateOperator"];
        trace?: never;
    };
    "/functions/v1/admin-api/departments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List departments */
        get: operations["listDepartments"];
        put?: never;
        /** Create a department */
        post: operations["createDepartment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/departments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a department */
        get: operations["getDepartment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update a department */
        patch: operations["updateDepartment"];
        trace?: never;
    };
    "/functions/v1/admin-api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List AI agents */
        get: operations["listAgents"];
        put?: never;
        /** Create an AI agent */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an AI agent */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update an AI agent */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/functions/v1/admin-api/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List templates */
        get: operations["listTemplates"];
        put?: never;
        /** Create a template */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a template */
        get: operations["getTemplate"];
        put?: never;
        post?: never;
        /** Delete a template in one language */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        /** Update a template */
        patch: operations["updateTemplate"];
        trace?: never;
    };
    "/functions/v1/admin-api/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List outbox entries */
        get: operations["listOutbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/instances/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens of an instance */
        get: operations["listTokens"];
        put?: never;
        /** Issue a token for an instance */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/instances/{id}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a token's record */
        get: operations["getToken"];
        put?: never;
        post?: never;
        /** Revoke a token */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/templates/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check a template by the official channel's rules */
        post: operations["validateTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/templates/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit a template to the official channel */
        post: operations["submitTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/instances/{id}/templates/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Synchronize an instance's templates with the official channel */
        post: operations["syncTemplates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/outbox/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry a dead outbox entry */
        post: operations["retryOutbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/queue/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Hold the queue of an instance, or of all */
        post: operations["holdQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/queue/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the instances that are held */
        get: operations["listQueueHolds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/queue/may-have-left": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what may have left before a restore */
        get: operations["listMayHaveLeft"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/queue/may-have-left/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Settle what may have left before a restore */
        post: operations["settleMayHaveLeft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/queue/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Release the queue of an instance, or of all */
        post: operations["releaseQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the rates of a workspace */
        get: operations["getRates"];
        /** Replace the rates of a workspace */
        put: operations["replaceRates"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/instances/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sum up an instance's messages and their cost */
        get: operations["getInstanceUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/instances/{id}/usage/provider": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare a month's sums with what the provider bills */
        get: operations["compareUsageWithProvider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/credentials/reseal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Seal stored credentials under the current key */
        post: operations["resealCredentials"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/admin-api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether all instances' messages are being sent */
        get: operations["getServiceHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/api-docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/api-docs/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List batches */
        get: operations["listBatches"];
        put?: never;
        /** Create a batch */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a batch */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a batch's recipients */
        get: operations["listBatchRecipients"];
        put?: never;
        /** Add recipients to a draft */
        post: operations["addBatchRecipients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask what starting a draft would do */
        post: operations["dryRunBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a batch */
        post: operations["startBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a batch */
        post: operations["pauseBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a paused batch */
        post: operations["resumeBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/retry-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Try what has failed again */
        post: operations["retryFailedOfBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/batches-api/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a batch */
        post: operations["cancelBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create or update a contact */
        post: operations["createContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Update a contact's fields and flags */
        post: operations["updateContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add and remove tags */
        post: operations["changeContactTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record a contact's consent to marketing */
        post: operations["setContactConsent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Block a person */
        post: operations["blockContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/unblock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the block of a person */
        post: operations["unblockContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List and search contacts, or follow their changes */
        get: operations["listContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contact */
        get: operations["getContact"];
        put?: never;
        post?: never;
        /** Erase a person */
        delete: operations["eraseContact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/contacts/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export a person's data */
        get: operations["exportContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an erasure */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/contacts-api/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Merge two contacts that are one person */
        post: operations["mergeContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Assign a conversation to an operator */
        post: operations["assignConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/unassign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a conversation from its operator */
        post: operations["unassignConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List conversations */
        get: operations["listConversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a conversation */
        get: operations["getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/conversations/{id}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a conversation's internal notes */
        get: operations["listConversationNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/conversations/{id}/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a conversation's transfers */
        get: operations["listConversationTransfers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change a conversation's status */
        post: operations["setConversationStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/note": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add an internal note */
        post: operations["addInternalNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/conversations-api/agent-pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the AI agent's pause for a contact */
        get: operations["getAgentPause"];
        put?: never;
        /** Pause or resume the AI agent for a contact */
        post: operations["setAgentPause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/dispatch-queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the feed of events */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook endpoints */
        get: operations["listEndpoints"];
        put?: never;
        /** Create a webhook endpoint */
        post: operations["createEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook endpoint */
        get: operations["getEndpoint"];
        put?: never;
        post?: never;
        /** Delete a webhook endpoint */
        delete: operations["deleteEndpoint"];
        options?: never;
        head?: never;
        /** Change a webhook endpoint */
        patch: operations["updateEndpoint"];
        trace?: never;
    };
    "/functions/v1/events-api/endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace an endpoint's secret */
        post: operations["rotateEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event */
        post: operations["testEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an endpoint's deliveries */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/deliveries/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/events-api/endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the events of a time again */
        post: operations["replayEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/media-api/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Upload a file */
        post: operations["uploadMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/media-api/media/{mediaId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a file */
        get: operations["readMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/media-api/links/{mediaId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/process-ai-agent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a conversation with the AI agent */
        post: operations["processAiAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/provider-webhook/whatsapp_cloud/{instanceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/provider-webhook/zapi/{instanceId}/{secret}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/provider-webhook/evolution/{instanceId}/{secret}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/v1/sanitize-phone-number": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Remove the formatting of a phone number */
        post: operations["sanitizePhoneNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "message.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageReceived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageSent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.delivered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageDelivered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.unconfirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageUnconfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageCanceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageExpired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.edited": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageEdited"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.reaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onMessageReaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onContactCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onContactUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.merged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onContactMerged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.identity_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onContactIdentityChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.consent_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onContactConsentChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "contact.erased": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onContactErased"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conversation.assigned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onConversationAssigned"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conversation.status_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onConversationStatusChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onAgentPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onAgentResumed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.needs_person": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onAgentNeedsPerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "instance.held": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onInstanceHeld"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "instance.connected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onInstanceConnected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "instance.disconnected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onInstanceDisconnected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "instance.limit_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onInstanceLimitChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "instance.number_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onInstanceNumberChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "template.status_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onTemplateStatusChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "template.category_warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onTemplateCategoryWarning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "batch.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onBatchPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "batch.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onBatchFinished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "budget.warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onBudgetWarning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "budget.reached": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onBudgetReached"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onEndpointDisabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["onEndpointTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description An error response. */
        Error: {
            /**
             * @description Always false.
             * @constant
             */
            success: false;
            /** @description Stable error code. */
            error: string;
            /** @description One sentence that a person can act on. */
            message: string;
            /** @description All invalid fields of the request. */
            issues?: {
                /** @description Dotted path of the field in the request. */
                path: string;
                /** @description Why the field is invalid. */
                message: string;
            }[];
            /** @description Names of the missing variables; with `missing_variables`. */
            missing?: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
            /** @description The request's id; with `internal_error`. */
            requestId?: string;
        };
        Event: {
            /** @description The event's id: the same whenever and however it is told. */
            id: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test";
            /**
             * Format: date-time
             * @description Time at which it became true.
             */
            timestamp: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
            sequence: number;
            /** @description The state at that moment. */
            data: {
                [key: string]: unknown;
            };
        };
        MessageEventData: {
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /**
             * @description `inbound` for received messages, `outbound` for sent ones.
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired" | "received";
            /** @description Type of the message. */
            messageType: string;
            /** @description The text; for media the caption, for an option list the body. */
            message: string | null;
            /** @description The option or the button that the contact selected. */
            choice: {
                /** @description Id of the option. */
                id?: string | null;
                /** @description Title of the option. */
                title: string;
                /** @description The second line of a list's row. */
                description?: string;
            } | null;
            /** @description A position. */
            location?: {
                /** @description Degrees north. */
                latitude: number;
                /** @description Degrees east. */
                longitude: number;
                /** @description Name of the place. */
                name?: string;
                /** @description Address of the place. */
                address?: string;
                /** @description Web address of the place. */
                url?: string;
                /**
                 * @description The position was shared live: this is where the person was at first.
                 * @constant
                 */
                isLive?: true;
            };
            /** @description Contact cards. */
            contacts?: {
                /** @description Name on the card. */
                name: string;
                /** @description Phones as the card writes them. */
                phones: string[];
                /** @description E-mail addresses. */
                emails?: string[];
                /** @description Company, with department and title where the card has them. */
                organization?: string;
                /** @description Web addresses. */
                urls?: string[];
                /** @description Postal addresses, each as one line. */
                addresses?: string[];
                /** @description Birthday, as the card writes it. */
                birthday?: string;
                /** @description Where the card comes from, as the channel spells it: `contact_request` answers a request for the number. */
                origin?: string;
            }[];
            /** @description A reaction to another message. */
            reaction?: {
                /**
                 * Format: uuid
                 * @description The message that it is to; null where that is not stored.
                 */
                messageId: string | null;
                /** @description The emoji; null takes the reaction back. */
                emoji: string | null;
            };
            /** @description An order from the catalog. */
            order?: {
                /** @description Id of the catalog. */
                catalogId?: string;
                /** @description The channel's id of the order. */
                orderId?: string;
                /** @description The channel's token of the order. */
                token?: string;
                /** @description Title of the order. */
                title?: string;
                /** @description The ordered products. */
                items: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description How many of it. */
                    quantity?: number;
                    /** @description Price of one. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                }[];
                /** @description How many products, where the channel tells no items. */
                itemCount?: number;
                /** @description Price of all items. */
                subtotal?: string;
                /** @description Price of the order. */
                total?: string;
                /** @description Currency of the sums. */
                currency?: string;
                /** @description What the contact wrote beside it. */
                note?: string;
            };
            /** @description The product of a catalog that the message shows or asks about. */
            product?: {
                /** @description The product's id in the catalog, the seller's own where it has one. */
                productId?: string;
                /** @description Id of the catalog. */
                catalogId?: string;
                /** @description Name of the product. */
                name?: string;
                /** @description Description of the product. */
                description?: string;
                /** @description Price. */
                price?: string;
                /** @description Currency, such as `BRL`. */
                currency?: string;
                /** @description Web address of the product. */
                url?: string;
                /** @description The channel's address of its picture. */
                imageUrl?: string;
            };
            /** @description A submitted form. */
            flowAnswer?: {
                /** @description The channel's name of the form. */
                name?: string;
                /** @description The token that the form was sent with. */
                token?: string;
                /** @description The submitted fields. */
                data: {
                    [key: string]: unknown;
                };
            };
            /** @description A request for money, a payment, or a PIX key. */
            payment?: {
                /**
                 * @description What it is: a request for money, a payment, the state of an order.
                 * @enum {string}
                 */
                kind: "request" | "payment" | "declined" | "canceled" | "invitation" | "order" | "pix";
                /** @description Amount. */
                amount?: string;
                /** @description Price of all items, where `amount` holds more. */
                subtotal?: string;
                /** @description Discount that `amount` holds. */
                discount?: string;
                /** @description Shipping that `amount` holds. */
                shipping?: string;
                /** @description Tax that `amount` holds. */
                tax?: string;
                /** @description Currency, such as `BRL`. */
                currency?: string;
                /** @description How it is paid, as the channel spells it. */
                method?: string;
                /** @description The channel's id of the transaction, or of the stored card. */
                transactionId?: string;
                /** @description The last digits of the card. */
                lastDigits?: string;
                /**
                 * Format: date-time
                 * @description When it was paid, or chosen to be.
                 */
                paidAt?: string;
                /** @description State of the payment, as the channel spells it. */
                status?: string;
                /** @description State of the order, as the channel spells it. */
                orderStatus?: string;
                /** @description Reference of the payment or order. */
                referenceId?: string;
                /** @description What was written beside it. */
                note?: string;
                /**
                 * Format: date-time
                 * @description When the request ends.
                 */
                expiresAt?: string;
                /** @description The PIX key. */
                key?: string;
                /** @description Kind of the PIX key. */
                keyType?: string;
                /** @description Who is to receive it. */
                receiver?: string;
                /** @description The products of the order. */
                items?: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description How many of it. */
                    quantity?: number;
                    /** @description Price of one. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                }[];
            };
            /** @description A poll. */
            poll?: {
                /** @description The question. */
                question: string;
                /** @description What can be voted for. */
                options: string[];
                /** @description How many may be chosen; 0 for any number. */
                maxOptions?: number;
            };
            /** @description A vote in a poll. */
            pollVote?: {
                /** @description The channel's id of the poll's message; `quotedMessageId` is ours. */
                pollId?: string;
                /** @description All that the person chooses now; none takes the vote back. */
                options: string[];
            };
            /** @description An invitation to an event. */
            event?: {
                /** @description Name of the event. */
                name: string;
                /** @description Description of the event. */
                description?: string;
                /**
                 * Format: date-time
                 * @description When it begins.
                 */
                startsAt?: string;
                /**
                 * Format: date-time
                 * @description When it ends.
                 */
                endsAt?: string;
                /** @description Where it is. */
                place?: string;
                /** @description Web address to join by. */
                url?: string;
                /**
                 * @description The event is canceled.
                 * @constant
                 */
                isCanceled?: true;
            };
            /** @description An answer to an invitation. */
            eventAnswer?: {
                /** @description The channel's id of the event's message; `quotedMessageId` is ours. */
                eventId?: string;
                /** @description `going`, `not_going`, `maybe`, or the channel's word. */
                answer: string;
            };
            /** @description A template, buttons or a list that another business has sent. */
            menu?: {
                /** @description Header. */
                title?: string;
                /** @description Text. */
                body?: string;
                /** @description Footer. */
                footer?: string;
                /** @description The channel's address of its picture, video or document. */
                mediaUrl?: string;
                /** @description Links and options, in their order. */
                items: {
                    /**
                     * @description What a tap does.
                     * @enum {string}
                     */
                    kind: "reply" | "link" | "phone" | "code" | "row" | "other";
                    /** @description Label. */
                    title?: string;
                    /** @description Id of the option. */
                    id?: string;
                    /** @description Second line of a row. */
                    description?: string;
                    /** @description Web address that it opens. */
                    url?: string;
                    /** @description Phone that it calls. */
                    phone?: string;
                    /** @description Text that it copies. */
                    code?: string;
                }[];
            };
            /** @description An invitation to a group or a channel. */
            groupInvite?: {
                /** @description The channel's id of the group. */
                groupId?: string;
                /** @description Name of the group. */
                name?: string;
                /** @description Code to join by. */
                code?: string;
                /**
                 * Format: date-time
                 * @description When the invitation ends.
                 */
                expiresAt?: string;
            };
            /** @description A call that nobody answered. */
            call?: {
                /**
                 * @description Kind of the call.
                 * @enum {string}
                 */
                kind: "voice" | "video";
                /** @description The channel's id of the call. */
                callId?: string;
            };
            /** @description The link that the text shows a preview of. */
            preview?: {
                /** @description The address. */
                url?: string;
                /** @description Title of the page. */
                title?: string;
                /** @description Description of the page. */
                description?: string;
            };
            /** @description What surrounds the message. */
            context?: {
                /**
                 * @description The message was forwarded.
                 * @constant
                 */
                isForwarded?: true;
                /**
                 * @description The message was forwarded many times.
                 * @constant
                 */
                isFrequentlyForwarded?: true;
                /**
                 * @description It answers a status of ours.
                 * @constant
                 */
                isStatusReply?: true;
                /**
                 * @description It was sent to a broadcast list.
                 * @constant
                 */
                isBroadcast?: true;
                /** @description Who is mentioned: phones, or the channel's ids. */
                mentions?: string[];
                /** @description After how long it disappears at the person's phone. */
                expiresInSeconds?: number;
            };
            /** @description The ad or post that brought the person. */
            referral?: {
                /** @description `ad` or `post`, as the channel spells it. */
                sourceType?: string;
                /** @description Id of the ad or post. */
                sourceId?: string;
                /** @description Web address of the ad or post. */
                sourceUrl?: string;
                /** @description Headline of the ad. */
                headline?: string;
                /** @description Text of the ad. */
                body?: string;
                /** @description Id of the click, for reports to the advertiser. */
                clickId?: string;
                /** @description The channel's address of the ad's picture or video. */
                mediaUrl?: string;
                /** @description The channel's address of the ad's picture, or of its video's. */
                imageUrl?: string;
                /** @description The channel's address of the ad's video. */
                videoUrl?: string;
                /** @description `image` or `video`. */
                mediaType?: string;
                /** @description What the ad greeted the person with. */
                welcomeMessage?: string;
            };
            /** @description What the channel says is wrong: why a file is missing, for instance. */
            errors?: {
                /** @description The channel's code. */
                code?: string;
                /** @description The channel's words. */
                title?: string;
                /** @description More of its words. */
                details?: string;
            }[];
            /** @description The channel's name of a kind of message that it does not pass on. */
            unsupportedType?: string;
            /** @description The channel's id of the group that the message was written in. */
            groupId?: string;
            /**
             * @description The file can be seen once at the person's phone.
             * @constant
             */
            isViewOnce?: true;
            /**
             * @description The video plays as a GIF.
             * @constant
             */
            isGif?: true;
            /**
             * @description It is from before the number was connected: the business's phone has handed it over. No event told it.
             * @constant
             */
            isImported?: true;
            /** @description What stands above the text: a text, or the kind of the message's file. */
            header?: {
                /** @description The text above. */
                text?: string;
                /**
                 * @description Kind of the file above.
                 * @enum {string}
                 */
                type?: "image" | "video" | "document";
            };
            /** @description The options to choose from, in one list or in sections. */
            optionList?: {
                /** @description Title of the list. */
                title: string;
                /** @description Text of the button that opens the list. */
                buttonLabel: string;
                /** @description The options. */
                options?: {
                    /** @description Id of the option. */
                    id: string;
                    /** @description Title of the option. */
                    title: string;
                    /** @description Second line of the option. */
                    description?: string;
                }[];
                /** @description The sections, in place of `options`. */
                sections?: {
                    /** @description Title of the section. */
                    title: string;
                    /** @description The options. */
                    options: {
                        /** @description Id of the option. */
                        id: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                }[];
            };
            /** @description The buttons to choose from. */
            buttons?: {
                /** @description Id of the button. */
                id: string;
                /** @description Title of the button. */
                title: string;
            }[];
            /** @description The button that opens a web address. */
            linkButton?: {
                /** @description Title of the button. */
                title: string;
                /** @description The address, https. */
                url: string;
            };
            /** @description The small text below. */
            footer?: string;
            /** @description Whether the channel shows a preview of a link. */
            linkPreview?: boolean;
            /** @description Whether the file can be seen once only. */
            viewOnce?: boolean;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * Format: uuid
             * @description The message that this one answers; null for none, and for one that this service has not stored.
             */
            quotedMessageId: string | null;
            /** @description The provider's id of the message that this one answers; null for none. */
            quotedProviderMessageId: string | null;
            /** @description Whether the chat is a group. */
            isGroup: boolean;
            /** @description The provider's name of the chat. */
            chatName: string | null;
            /** @description Who wrote the message in a group, by all that the provider tells; null for what is not from a group. */
            author: {
                /** @description The author's name. */
                name?: string;
                /** @description The author's phone. */
                phone?: string;
                /** @description The author's user id at the official channel. */
                userId?: string;
                /** @description The author's username, in lower case and without `@`. */
                username?: string;
                /** @description The author's hidden identity at a gateway. */
                lid?: string;
            } | null;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy: string | null;
            /** @description Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells. */
            isTypedOnPhone: boolean;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId: string | null;
            /**
             * Format: uuid
             * @description The batch that the message belongs to.
             */
            batchId: string | null;
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose: "marketing" | "utility" | "authentication" | "service";
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey: string | null;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description Id of the message's file at media-api; null for none.
             */
            mediaId: string | null;
            /**
             * @description `pending`: the file is being fetched from the provider; `stored`; `failed`: it could not be fetched; `expired`: it is gone. Null for no file of ours.
             * @enum {string|null}
             */
            mediaStatus: "pending" | "stored" | "failed" | "expired" | null;
            /** @description Link to the file: of a file of ours a signed one, which works without a token for seven days, a new one in each answer; of a message that was sent with `mediaUrl`, that URL. Null for no file, and for one that is `failed` or `expired`. */
            mediaUrl: string | null;
            /** @description File name of a document, as the contact sees it. */
            mediaFilename: string | null;
            /** @description Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known. */
            mediaMimeType: string | null;
            /** @description Size of the file in bytes; null while it is not known. */
            mediaSize: number | null;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description The contact of the message. */
            contact: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone: string | null;
                /** @description Name. */
                name: string | null;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId: string | null;
                /** @description The contact's username, in lower case and without `@`; null for none. */
                username: string | null;
                /** @description The contact's hidden identity at a gateway; null for none. */
                lid: string | null;
            };
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /** @description What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other. */
            channelStatus: string | null;
            /** @description How the official channel bills the message, told with its delivery; else null. */
            pricing: {
                /** @description `regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells. */
                type: string | null;
                /** @description What it is billed as: `service`, `utility`, `marketing`, or the channel's word. */
                category: string;
                /** @description The channel's pricing model, such as `PMP`; null until it tells. */
                model: string | null;
                /** @description The market of the workspace's rates that the person's phone belongs to. */
                market: string | null;
                /**
                 * @description Who says so: the channel, or this service by the template's category until the channel tells.
                 * @enum {string}
                 */
                source: "channel" | "derived";
                /** @description What has opened the channel's conversation; newer versions of it do not tell. */
                conversationOrigin?: string;
            } | null;
            /** @description What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways. */
            estimatedCost: {
                /** @description Decimal text of the currency's unit. */
                amount: string;
                /** @description Currency of the workspace's rates, such as `USD`. */
                currency: string;
            } | null;
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /**
             * Format: uuid
             * @description Of an invitation: the first message that waits for its answer.
             */
            invitationFor?: string;
            /** @description Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known. */
            groupReceipts?: {
                /** @description The member's phone. */
                phone?: string;
                /** @description The member's user id at the official channel. */
                userId?: string;
                /** @description The member's hidden identity at a gateway. */
                lid?: string;
                /**
                 * Format: date-time
                 * @description When it reached the member's phone, at the latest.
                 */
                deliveredAt: string;
                /**
                 * Format: date-time
                 * @description When the member read it; null for not yet.
                 */
                readAt: string | null;
            }[];
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * Format: date-time
             * @description What has not left by then is never sent and becomes `expired`; null for no end.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time at which the provider accepted the message.
             */
            sentAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the message reached the contact's device.
             */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
             */
            readAt: string | null;
            /**
             * Format: date-time
             * @description Time at which sending failed for good.
             */
            failedAt: string | null;
            /**
             * Format: date-time
             * @description When the message was edited last, by a person or by a call; null for never. `message` has the new words.
             */
            editedAt: string | null;
            /**
             * Format: date-time
             * @description When it was told that the message is deleted for everyone, by a person or for a call; null for never.
             */
            deletedAt: string | null;
            /** @description Number of attempts. */
            attempts: number;
            /** @description Error of the last failed attempt; null when none has failed. */
            lastError: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message: string;
            } | null;
            /** @description The last edit or deletion for everyone that a call asked for; left out where none did, and in events. */
            change?: {
                /**
                 * @description What was asked for.
                 * @enum {string}
                 */
                kind: "edit" | "delete";
                /**
                 * @description `done`: the provider took it, or told it. `refused`: nothing was changed. `unknown`: the provider may or may not have done it; it is not asked again by itself, and its own word settles it.
                 * @enum {string}
                 */
                status: "under_way" | "done" | "refused" | "unknown";
                /** @description The words of an edit; null of a deletion. */
                message: string | null;
                /**
                 * Format: date-time
                 * @description When it was asked for.
                 */
                requestedAt: string;
                /** @description Why it is refused or unknown; null otherwise. */
                error: {
                    /** @description The provider's code, or ours. */
                    code: string;
                    /** @description The provider's words, or ours. */
                    message: string;
                } | null;
            };
            /**
             * @description Whether a text was cut because the event exceeded 20,000 bytes.
             * @constant
             */
            isTruncated?: true;
        };
        ContactEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description Name. */
            name: string | null;
        };
        ContactUpdatedEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description Name. */
            name: string | null;
            /** @description Names of the fields that have changed; `tags` for tags. */
            fieldsUpdated: string[];
        };
        ContactMergedEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description Id of the contact that remains.
             */
            mergedInto: string;
        };
        ContactIdentityEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description Name. */
            name: string | null;
            /**
             * @description `user_id_changed`: the channel has given the person another user id. `device_changed`: the person has a new phone or installation, so whoever writes may be somebody else.
             * @enum {string}
             */
            reason: "user_id_changed" | "device_changed";
            /** @description The user id that the contact has now, where that is the reason. */
            userId?: string;
            /** @description The user id that it had: it still finds the contact. */
            previousUserId?: string;
            /** @description What the channel calls the person's new key, where that is the reason. */
            identity?: string;
            /** @description What it called the key before; null where it had not told. */
            previousIdentity?: string | null;
        };
        ConsentEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description Name. */
            name: string | null;
            /** @description The contact's consent as it is now. */
            consent: {
                /**
                 * @description Whether the contact wants marketing messages.
                 * @enum {string}
                 */
                marketing: "granted" | "denied" | "unknown";
                /**
                 * Format: date-time
                 * @description Since when; null while nothing is known.
                 */
                at: string | null;
                /** @description Who told it: `api` or what the call gave, `keyword`, `user_preferences` or `131050` of the channel; null while nothing is known. */
                source: string | null;
            };
        };
        ContactErasedEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
        };
        AssignedEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description The operator of the conversation now; `null` for nobody.
             */
            operatorId: string | null;
            /**
             * Format: uuid
             * @description UUID of the operator to whom the conversation is assigned now.
             */
            assignedTo: string | null;
            /**
             * Format: uuid
             * @description UUID of the previous operator; null when there was none.
             */
            previousAssignedTo: string | null;
            /**
             * Format: uuid
             * @description The conversation's department.
             */
            departmentId: string | null;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio: boolean;
        };
        ConversationStatusEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * @description Status of the conversation.
             * @enum {string}
             */
            status: "open" | "pending" | "closed";
        };
        AgentPauseEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: date-time
             * @description End of the pause; `null` where the agent is not paused.
             */
            pausedUntil: string | null;
        };
        AgentNeedsPersonEventData: {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /** @description Why: `model_markup_unknown`, `model_answer_filtered`, `agent_answer_limit`, or the error of the last attempt, such as `model_http_500`. */
            reason: string;
        };
        InstanceHeldEventData: {
            /**
             * Format: date-time
             * @description End of the hold; `null` until it is released.
             */
            heldUntil: string | null;
            /** @description Why it happened. */
            reason: string | null;
        };
        InstanceEventData: {
            /** @description Why it happened. */
            reason: string | null;
        };
        InstanceLimitEventData: {
            /** @description The channel's word, such as `UPGRADE`, `SCHEDULE_FOR_DISABLE` or `ACCOUNT_VIOLATION: SCAM`. */
            reason: string | null;
            /** @description The limit as the channel names it, such as `TIER_2K`; null when it tells none. */
            limit: string | null;
            /** @description The limit before; null while it was not known. */
            previousLimit: string | null;
            /**
             * Format: date-time
             * @description When it takes effect, of what is planned; null otherwise.
             */
            effectiveAt: string | null;
        };
        InstanceNumberEventData: {
            /**
             * @description What it is about.
             * @enum {string}
             */
            fact: "name" | "quality" | "username";
            /** @description The channel's word, such as `APPROVED`, `DEFERRED`, `FLAGGED`, `reserved`. */
            status: string;
            /** @description The display name or username; null where it was taken away, and of the quality. */
            value: string | null;
            /** @description The one before; null while none was known. */
            previousValue: string | null;
            /** @description Why a name was rejected, in the channel's word; null for none. */
            reason: string | null;
        };
        TemplateStatusEventData: {
            /**
             * Format: uuid
             * @description The template's UUID.
             */
            templateId: string;
            /** @description Name of the template. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /** @description The channel's decision. */
            status: string | null;
            /** @description The category that it has now, by which it costs. */
            category: string | null;
            /** @description The channel's rating, `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells. */
            quality: string | null;
            /** @description Why it was rejected or paused, in the channel's word; null for none. */
            reason: string | null;
            /**
             * Format: date-time
             * @description When the channel will disable it; null for no plan.
             */
            disablesAt: string | null;
        };
        TemplateCategoryEventData: {
            /**
             * Format: uuid
             * @description The template's UUID.
             */
            templateId: string;
            /** @description Name of the template. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /** @description The category that it has. */
            from: string;
            /** @description The category that it will have: its messages cost by it. */
            to: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
        };
        BatchPausedEventData: {
            /**
             * Format: uuid
             * @description Id of the batch.
             */
            batchId: string;
            /** @description Name of the batch. */
            name: string | null;
            /** @description Status of the batch. */
            status: string;
            /** @description Number of its recipients in each status, at that moment. */
            counts: {
                [key: string]: number;
            };
            /**
             * @description `template_refused` and `account_restricted`: the channel refuses every message of the template, or of the number. `failures_in_row`: five messages in a row have failed with the same code.
             * @enum {string}
             */
            reason: "template_refused" | "account_restricted" | "failures_in_row";
            /** @description The last error. */
            error: {
                /** @description The provider's code, or ours. */
                code: string;
                /** @description The provider's words. */
                message: string;
            };
        };
        BatchEventData: {
            /**
             * Format: uuid
             * @description Id of the batch.
             */
            batchId: string;
            /** @description Name of the batch. */
            name: string | null;
            /** @description Status of the batch. */
            status: string;
            /** @description Number of its recipients in each status, at that moment. */
            counts: {
                [key: string]: number;
            };
        };
        BudgetEventData: {
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description The month, such as `2026-11`, in the instance's time zone. */
            month: string;
            /** @description The budget: decimal text. */
            monthlyAmount: string;
            /** @description Currency of the workspace's rates. */
            currency: string;
            /** @description What the delivered messages of the month cost, at that moment. */
            spent: string;
            /** @description What those will cost that are accepted and not delivered yet. */
            underWay: string;
            /** @description Whether both together are the budget, or more. */
            reached: boolean;
            /** @description At how much of it the warning is told. */
            warnAtPercent: number;
            /** @description What waits while it is reached. */
            stops: string[];
        };
        EndpointDisabledEventData: {
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /**
             * @description Why it happened.
             * @enum {string}
             */
            reason: "gone" | "failing";
        };
        EndpointTestEventData: {
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
        };
        SendMessageRequest: components["schemas"]["SendMessageRequestMessage"] | components["schemas"]["SendMessageRequestFile"] | components["schemas"]["SendMessageRequestAssignment"];
        SendMessageRequestMessage: components["schemas"]["SendMessageRequestMessageText"] | components["schemas"]["SendMessageRequestMessageImage"] | components["schemas"]["SendMessageRequestMessageVideo"] | components["schemas"]["SendMessageRequestMessageAudio"] | components["schemas"]["SendMessageRequestMessageDocument"] | components["schemas"]["SendMessageRequestMessageSticker"] | components["schemas"]["SendMessageRequestMessageVoice"] | components["schemas"]["SendMessageRequestMessageLocation"] | components["schemas"]["SendMessageRequestMessageContacts"] | components["schemas"]["SendMessageRequestMessageOptionList"] | components["schemas"]["SendMessageRequestMessageButtons"] | components["schemas"]["SendMessageRequestMessageLinkButton"] | components["schemas"]["SendMessageRequestMessageLocationRequest"] | components["schemas"]["SendMessageRequestMessageContactRequest"] | components["schemas"]["SendMessageRequestMessageReaction"];
        SendMessageRequestMessageText: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "text";
            /** @description The text; for media the caption, for an option list the body. */
            message: string;
            /** @description `false` sends a link without its preview where the channel can. */
            linkPreview?: boolean;
        };
        SendMessageRequestMessageImage: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "image";
            /** @description The text; for media the caption, for an option list the body. */
            message?: string;
            /** @description Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`. */
            mediaUrl: string;
            /** @description `true` lets the person see the file once only (Z-API). */
            viewOnce?: boolean;
        };
        SendMessageRequestMessageVideo: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "video";
            /** @description The text; for media the caption, for an option list the body. */
            message?: string;
            /** @description Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`. */
            mediaUrl: string;
            /** @description `true` lets the person see the file once only (Z-API). */
            viewOnce?: boolean;
        };
        SendMessageRequestMessageAudio: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "audio";
            /** @description Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`. */
            mediaUrl: string;
        };
        SendMessageRequestMessageDocument: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "document";
            /** @description The text; for media the caption, for an option list the body. */
            message?: string;
            /** @description Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`. */
            mediaUrl: string;
        };
        SendMessageRequestMessageSticker: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "sticker";
            /** @description Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`. */
            mediaUrl: string;
        };
        SendMessageRequestMessageVoice: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "voice";
            /** @description Public https URL of the file. File types by `messageType`: jpg, jpeg, png for `image`; mp4 for `video`; mp3, wav for `audio`; these and pdf for `document`; webp for `sticker`; ogg, oga, opus for `voice`. */
            mediaUrl: string;
        };
        SendMessageRequestMessageLocation: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "location";
            /** @description A position, in degrees north and east. */
            location: {
                /** @description Degrees north. */
                latitude: number;
                /** @description Degrees east. */
                longitude: number;
                /** @description Name of the place. */
                name?: string;
                /** @description Address of the place. */
                address?: string;
            };
        };
        SendMessageRequestMessageContacts: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "contacts";
            /** @description Contact cards. */
            contacts: {
                /** @description Name on the card. */
                name: string;
                /** @description Phones, best with country code. */
                phones: string[];
                /** @description E-mail addresses. */
                emails?: string[];
                /** @description Company. */
                organization?: string;
                /** @description Web addresses. */
                urls?: string[];
            }[];
        };
        SendMessageRequestMessageOptionList: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "option_list";
            /** @description The text; for media the caption, for an option list the body. */
            message: string;
            /** @description The options to choose from: `options`, or in their place `sections`; 10 in all. */
            optionList: {
                /** @description Title of the list. */
                title: string;
                /** @description Text of the button that opens the list. */
                buttonLabel: string;
                /** @description The options. */
                options?: {
                    /** @description Id of the option. Default: its position. */
                    id?: string;
                    /** @description Title of the option. */
                    title: string;
                    /** @description Second line of the option. */
                    description?: string;
                }[];
                /** @description The sections, in place of `options`. */
                sections?: {
                    /** @description Title of the section. */
                    title: string;
                    /** @description The options. */
                    options: {
                        /** @description Id of the option. Default: its position. */
                        id?: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                }[];
            };
            /**
             * @description `native` sends the channel's own buttons, `text` a numbered text; `auto` is native where the channel shows it dependably. Default: the instance's `interactiveRendering`.
             * @enum {string}
             */
            rendering?: "auto" | "native" | "text";
        };
        SendMessageRequestMessageButtons: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "buttons";
            /** @description The text; for media the caption, for an option list the body. */
            message: string;
            /** @description The buttons to choose from. */
            buttons: {
                /** @description Id of the button. Default: its position. */
                id?: string;
                /** @description Title of the button. */
                title: string;
            }[];
            /** @description What stands above the buttons: `text`, or a file by `type` with `mediaUrl` or `mediaId`. */
            header?: {
                /** @description The text above. */
                text?: string;
                /**
                 * @description Kind of the file above.
                 * @enum {string}
                 */
                type?: "image" | "video" | "document";
                /** @description Public https URL of the file. */
                mediaUrl?: string;
                /**
                 * Format: uuid
                 * @description Id of a file that media-api keeps.
                 */
                mediaId?: string;
            };
            /** @description The small text below the buttons. */
            footer?: string;
            /**
             * @description `native` sends the channel's own buttons, `text` a numbered text; `auto` is native where the channel shows it dependably. Default: the instance's `interactiveRendering`.
             * @enum {string}
             */
            rendering?: "auto" | "native" | "text";
        };
        SendMessageRequestMessageLinkButton: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "link_button";
            /** @description The text; for media the caption, for an option list the body. */
            message: string;
            /** @description The button that opens a web address. */
            linkButton: {
                /** @description Title of the button. */
                title: string;
                /** @description The address that it opens, https. */
                url: string;
            };
            /**
             * @description `native` sends the channel's own buttons, `text` a numbered text; `auto` is native where the channel shows it dependably. Default: the instance's `interactiveRendering`.
             * @enum {string}
             */
            rendering?: "auto" | "native" | "text";
            /** @description `false` sends a link without its preview where the channel can. */
            linkPreview?: boolean;
        };
        SendMessageRequestMessageLocationRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "location_request";
            /** @description The text; for media the caption, for an option list the body. */
            message: string;
            /**
             * @description `native` sends the channel's own buttons, `text` a numbered text; `auto` is native where the channel shows it dependably. Default: the instance's `interactiveRendering`.
             * @enum {string}
             */
            rendering?: "auto" | "native" | "text";
        };
        SendMessageRequestMessageContactRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "contact_request";
            /** @description The text; for media the caption, for an option list the body. */
            message: string;
        };
        SendMessageRequestMessageReaction: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "reaction";
            /** @description The reaction to another message. */
            reaction: {
                /**
                 * Format: uuid
                 * @description Id of the message, sent or received, of the same contact.
                 */
                messageId: string;
                /** @description The emoji; null takes the reaction back. */
                emoji: string | null;
            };
        };
        SendMessageRequestFile: components["schemas"]["SendMessageRequestFileImage"] | components["schemas"]["SendMessageRequestFileVideo"] | components["schemas"]["SendMessageRequestFileAudio"] | components["schemas"]["SendMessageRequestFileDocument"] | components["schemas"]["SendMessageRequestFileSticker"] | components["schemas"]["SendMessageRequestFileVoice"];
        SendMessageRequestFileImage: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "image";
            /** @description The text; for media the caption, for an option list the body. */
            message?: string;
            /** @description `true` lets the person see the file once only (Z-API). */
            viewOnce?: boolean;
            /**
             * Format: uuid
             * @description Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.
             */
            mediaId: string;
        };
        SendMessageRequestFileVideo: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "video";
            /** @description The text; for media the caption, for an option list the body. */
            message?: string;
            /** @description `true` lets the person see the file once only (Z-API). */
            viewOnce?: boolean;
            /**
             * Format: uuid
             * @description Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.
             */
            mediaId: string;
        };
        SendMessageRequestFileAudio: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "audio";
            /**
             * Format: uuid
             * @description Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.
             */
            mediaId: string;
        };
        SendMessageRequestFileDocument: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "document";
            /** @description The text; for media the caption, for an option list the body. */
            message?: string;
            /**
             * Format: uuid
             * @description Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.
             */
            mediaId: string;
        };
        SendMessageRequestFileSticker: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "sticker";
            /**
             * Format: uuid
             * @description Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.
             */
            mediaId: string;
        };
        SendMessageRequestFileVoice: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * Format: uuid
             * @description Id of a message of the same contact, sent or received, that this one answers.
             */
            replyTo?: string;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Milliseconds to show the typing indicator, where the channel supports it. */
            delayTyping?: number;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description False keeps the AI agent from pausing for this message. Without it a message that leaves within 30 minutes pauses the agent when it is accepted and again when it leaves, a later one when it leaves. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description File name of a document, as the contact sees it. */
            mediaFilename?: string;
            /**
             * @description Type of the message. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            messageType: "voice";
            /**
             * Format: uuid
             * @description Id of a file that media-api keeps, in place of `mediaUrl`: an upload, or the file of a received message.
             */
            mediaId: string;
        };
        /** assignment */
        SendMessageRequestAssignment: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
            sentBy?: string;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo: string;
        };
        SendMessageResponse: components["schemas"]["SendMessageResponseSent"] | components["schemas"]["SendMessageResponseQueued"] | components["schemas"]["SendMessageResponseScheduled"] | components["schemas"]["SendMessageResponseAssignOnly"];
        SendMessageResponseSent: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Result of the call: `assign_only` when there was no content. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "sent";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description Result of the assignment. */
            assignment?: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator to whom the conversation is assigned now.
                 */
                assignedTo: string;
                /**
                 * Format: uuid
                 * @description UUID of the previous operator; null when there was none.
                 */
                previousAssignedTo: string | null;
                /** @description Whether the contact is in the operator's portfolio. */
                portfolio: boolean;
                /** @description Whether the conversation was transferred from one operator to another. */
                transferred: boolean;
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string | null;
            };
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SendMessageResponseQueued: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Result of the call: `assign_only` when there was no content. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "queued";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description Result of the assignment. */
            assignment?: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator to whom the conversation is assigned now.
                 */
                assignedTo: string;
                /**
                 * Format: uuid
                 * @description UUID of the previous operator; null when there was none.
                 */
                previousAssignedTo: string | null;
                /** @description Whether the contact is in the operator's portfolio. */
                portfolio: boolean;
                /** @description Whether the conversation was transferred from one operator to another. */
                transferred: boolean;
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string | null;
            };
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SendMessageResponseScheduled: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Result of the call: `assign_only` when there was no content. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "scheduled";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description Result of the assignment. */
            assignment?: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator to whom the conversation is assigned now.
                 */
                assignedTo: string;
                /**
                 * Format: uuid
                 * @description UUID of the previous operator; null when there was none.
                 */
                previousAssignedTo: string | null;
                /** @description Whether the contact is in the operator's portfolio. */
                portfolio: boolean;
                /** @description Whether the conversation was transferred from one operator to another. */
                transferred: boolean;
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string | null;
            };
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SendMessageResponseAssignOnly: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Result of the call: `assign_only` when there was no content. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "assign_only";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /** @description Result of the assignment. */
            assignment: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator to whom the conversation is assigned now.
                 */
                assignedTo: string;
                /**
                 * Format: uuid
                 * @description UUID of the previous operator; null when there was none.
                 */
                previousAssignedTo: string | null;
                /** @description Whether the contact is in the operator's portfolio. */
                portfolio: boolean;
                /** @description Whether the conversation was transferred from one operator to another. */
                transferred: boolean;
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string | null;
            };
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SendMessageFailure: components["schemas"]["Error"] & {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId?: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId?: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId?: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status?: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor?: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy?: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description Result of the assignment. */
            assignment?: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator to whom the conversation is assigned now.
                 */
                assignedTo: string;
                /**
                 * Format: uuid
                 * @description UUID of the previous operator; null when there was none.
                 */
                previousAssignedTo: string | null;
                /** @description Whether the contact is in the operator's portfolio. */
                portfolio: boolean;
                /** @description Whether the conversation was transferred from one operator to another. */
                transferred: boolean;
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string | null;
            };
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil?: string | null;
            /** @description The provider's error, without credentials. */
            details?: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code?: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message?: string;
                /** @description Why the outcome is unknown. */
                reason?: string;
                /** @description The rungs of `outsideWindow`, of which none was left. */
                rungs?: {
                    /** @description `directSend`, `template` or `invite`. */
                    rung: string;
                    /** @description Why it could not be taken. */
                    reason: string;
                }[];
            };
            /** @description Whether the failure is temporary, so that the call can be repeated. */
            retryable?: boolean;
        };
        SendTemplateMessageRequest: {
            /** @description Id of the template. */
            templateId?: string;
            /** @description The template by its name, in place of `templateId`: this instance's, then the workspace's; several that fit are 409 `template_ambiguous`. */
            template?: {
                /** @description Name of the template. */
                name: string;
                /** @description Language of the template, such as `pt_BR`. */
                language: string;
            };
            /** @description The instance, in any of the three forms. Default: the token's instance. */
            instanceId?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Values of the template's variables, by key. */
            variables?: {
                [key: string]: unknown;
            };
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId?: string;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Seconds to wait before sending. With `queued`, the message gets the slot that a call at that time would get, as with `sendAt`. */
            delayMessage?: number;
            /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. None of them pauses the agent. */
            sentBy?: string;
            /** @description True pauses the AI agent for this contact, as a message of send-message does. Without it no template pauses the agent. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
        };
        SendTemplateMessageResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Type of provider: the official channel or a gateway.
             * @enum {string}
             */
            provider: "official" | "gateway";
            /**
             * Format: uuid
             * @description Id of the template.
             */
            templateId: string;
            /** @description Name of the template. */
            templateName: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description The provider's id of the message; null while the message waits. */
            messageId: string | null;
            /** @description The same, by the name that every other answer has for it. */
            providerMessageId: string | null;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            internalMessageId: string;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * @description How the message is sent.
             * @enum {string}
             */
            mode?: "sent" | "queued" | "scheduled";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor?: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy?: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SendTemplateMessageFailure: components["schemas"]["Error"] & {
            /**
             * @description Type of provider: the official channel or a gateway.
             * @enum {string}
             */
            provider?: "official" | "gateway";
            /**
             * Format: uuid
             * @description Id of the template.
             */
            templateId?: string;
            /** @description Name of the template. */
            templateName?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string | null;
            /** @description The provider's id of the message; null while the message waits. */
            messageId?: string | null;
            /** @description The same, by the name that every other answer has for it. */
            providerMessageId?: string | null;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            internalMessageId?: string;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status?: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * @description How the message is sent.
             * @enum {string}
             */
            mode?: "sent" | "queued" | "scheduled";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor?: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy?: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId?: string;
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil?: string | null;
            /** @description The provider's error, without credentials. */
            details?: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code?: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message?: string;
                /** @description Why the outcome is unknown. */
                reason?: string;
                /** @description The rungs of `outsideWindow`, of which none was left. */
                rungs?: {
                    /** @description `directSend`, `template` or `invite`. */
                    rung: string;
                    /** @description Why it could not be taken. */
                    reason: string;
                }[];
            };
            /** @description Whether the failure is temporary, so that the call can be repeated. */
            retryable?: boolean;
        };
        ReadMessageHistoryResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description The requested range of days. */
            period: {
                /**
                 * Format: date
                 * @description First day.
                 */
                start: string;
                /**
                 * Format: date
                 * @description Last day, inclusive.
                 */
                end: string;
            };
            /** @description Number of returned messages. */
            totalMessages: number;
            /** @description Whether the period has older messages that were not returned. */
            hasMore: boolean;
            /** @description The messages, oldest first; with `format=conversation`. */
            conversation?: {
                /**
                 * @description `user` for received, `assistant` for sent messages.
                 * @enum {string}
                 */
                role: "user" | "assistant";
                /** @description For received messages the contact's name or phone; for sent messages the name of the operator or agent, otherwise of the instance. */
                sender: string;
                /** @description The text. For media the caption and, on a separate line, the URL (with `attachments=false`: `[image]`, `[audio]`, `[document]` or `[video]`), of a voice message before it `[transcript]` and its words; for an option list its body and options; for a selected option its title. */
                content: string;
                /** @description Unix time in seconds. */
                timestamp: number;
                /**
                 * @description `received` or `sent`.
                 * @enum {string}
                 */
                status: "received" | "sent";
                /**
                 * Format: uuid
                 * @description The message's UUID in this service.
                 */
                messageId?: string;
                /** @description Type of the message. */
                messageType?: string;
                /** @description Whether the chat is a group. */
                isGroup?: boolean;
                /** @description The provider's name of the chat. */
                chatName?: string | null;
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId?: string | null;
            }[];
            /** @description The messages, oldest first; with `format=raw`. */
            messages?: {
                /**
                 * Format: uuid
                 * @description The message's UUID in this service.
                 */
                messageId?: string;
                /** @description Type of the message. */
                messageType?: string;
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId?: string | null;
                /**
                 * Format: uuid
                 * @description The message that this one answers; null for none, and for one that this service has not stored.
                 */
                quotedMessageId?: string | null;
                /** @description The provider's id of the message that this one answers; null for none. */
                quotedProviderMessageId?: string | null;
                /** @description Whether the chat is a group. */
                isGroup?: boolean;
                /** @description The provider's name of the chat. */
                chatName?: string | null;
                /** @description Who wrote the message in a group, by all that the provider tells; null for what is not from a group. */
                author?: {
                    /** @description The author's name. */
                    name?: string;
                    /** @description The author's phone. */
                    phone?: string;
                    /** @description The author's user id at the official channel. */
                    userId?: string;
                    /** @description The author's username, in lower case and without `@`. */
                    username?: string;
                    /** @description The author's hidden identity at a gateway. */
                    lid?: string;
                } | null;
                /** @description `sentBy` of the request; `phone` for what was typed on the phone, `other_app` for what another program sent through the same channel; null for a received message. */
                sentBy?: string | null;
                /** @description Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells. */
                isTypedOnPhone?: boolean;
                /**
                 * Format: uuid
                 * @description The batch that the message belongs to.
                 */
                batchId?: string | null;
                /** @description The `metadata` of the call that sent it; empty when it had none. */
                metadata?: {
                    [key: string]: string;
                };
                /**
                 * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
                 * @enum {string}
                 */
                purpose?: "marketing" | "utility" | "authentication" | "service";
                /**
                 * Format: uuid
                 * @description The conversation's UUID.
                 */
                conversationId?: string;
                /** @description The provider's id of the message; null until the provider accepts the message. */
                providerMessageId?: string | null;
                /** @description What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other. */
                channelStatus?: string | null;
                /** @description How the official channel bills the message, told with its delivery; else null. */
                pricing?: {
                    /** @description `regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells. */
                    type: string | null;
                    /** @description What it is billed as: `service`, `utility`, `marketing`, or the channel's word. */
                    category: string;
                    /** @description The channel's pricing model, such as `PMP`; null until it tells. */
                    model: string | null;
                    /** @description The market of the workspace's rates that the person's phone belongs to. */
                    market: string | null;
                    /**
                     * @description Who says so: the channel, or this service by the template's category until the channel tells.
                     * @enum {string}
                     */
                    source: "channel" | "derived";
                    /** @description What has opened the channel's conversation; newer versions of it do not tell. */
                    conversationOrigin?: string;
                } | null;
                /** @description What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways. */
                estimatedCost?: {
                    /** @description Decimal text of the currency's unit. */
                    amount: string;
                    /** @description Currency of the workspace's rates, such as `USD`. */
                    currency: string;
                } | null;
                /** @description Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known. */
                groupReceipts?: {
                    /** @description The member's phone. */
                    phone?: string;
                    /** @description The member's user id at the official channel. */
                    userId?: string;
                    /** @description The member's hidden identity at a gateway. */
                    lid?: string;
                    /**
                     * Format: date-time
                     * @description When it reached the member's phone, at the latest.
                     */
                    deliveredAt: string;
                    /**
                     * Format: date-time
                     * @description When the member read it; null for not yet.
                     */
                    readAt: string | null;
                }[];
                /**
                 * Format: date-time
                 * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
                 */
                scheduledFor?: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt?: string;
                /**
                 * Format: date-time
                 * @description When the message was edited last, by a person or by a call; null for never. `message` has the new words.
                 */
                editedAt?: string | null;
                /**
                 * Format: date-time
                 * @description When it was told that the message is deleted for everyone, by a person or for a call; null for never.
                 */
                deletedAt?: string | null;
                /** @description Number of attempts. */
                attempts?: number;
                /** @description Error of the last failed attempt; null when none has failed. */
                lastError?: {
                    /** @description The provider's error code, or a code of this service when the provider sent none. */
                    code: string;
                    /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                    message: string;
                } | null;
                /**
                 * @description `inbound` for received, `outbound` for sent messages.
                 * @enum {string}
                 */
                direction: "inbound" | "outbound";
                /**
                 * @description Status of the message.
                 * @enum {string}
                 */
                status: "received" | "sent" | "delivered" | "read";
                /** @description The text; for media the caption, for an option list the body. */
                message: string | null;
                /** @description URL of the file: a signed link that works without a token for seven days, a new one in each answer; of a sent message with `mediaUrl` that URL. Null with `attachments=false`. */
                mediaUrl: string | null;
                /**
                 * Format: uuid
                 * @description The message's file, for `media-api`; null without one, for messages from before files were kept, and with `attachments=false`.
                 */
                mediaId: string | null;
                /**
                 * @description Whether the file is there; null without `mediaId`. `mediaUrl` is null where it is `failed` or `expired`.
                 * @enum {string|null}
                 */
                mediaStatus: "pending" | "stored" | "failed" | "expired" | null;
                /** @description File name of a document, as the contact sees it. */
                mediaFilename: string | null;
                /** @description Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known. */
                mediaMimeType: string | null;
                /** @description Size of the file in bytes; null while it is not known. */
                mediaSize: number | null;
                /** @description What is said in a voice message, as a machine has written it down. */
                transcript: string | null;
                /** @description The options to choose from, in one list or in sections. */
                optionList: {
                    /** @description Title of the list. */
                    title: string;
                    /** @description Text of the button that opens the list. */
                    buttonLabel: string;
                    /** @description The options. */
                    options?: {
                        /** @description Id of the option. */
                        id: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                    /** @description The sections, in place of `options`. */
                    sections?: {
                        /** @description Title of the section. */
                        title: string;
                        /** @description The options. */
                        options: {
                            /** @description Id of the option. */
                            id: string;
                            /** @description Title of the option. */
                            title: string;
                            /** @description Second line of the option. */
                            description?: string;
                        }[];
                    }[];
                } | null;
                /** @description The option or the button that the contact selected. */
                choice: {
                    /** @description Id of the option. */
                    id?: string | null;
                    /** @description Title of the option. */
                    title: string;
                    /** @description The second line of a list's row. */
                    description?: string;
                } | null;
                /** @description The filled template in the official channel's format; media have no `link` with `attachments=false`. */
                template: {
                    /** @description Name of the template. */
                    name: string;
                    /** @description Language of the template. */
                    language: string;
                    /** @description Its filled parts. */
                    components: {
                        [key: string]: unknown;
                    }[];
                } | null;
                /** @description A position. */
                location?: {
                    /** @description Degrees north. */
                    latitude: number;
                    /** @description Degrees east. */
                    longitude: number;
                    /** @description Name of the place. */
                    name?: string;
                    /** @description Address of the place. */
                    address?: string;
                    /** @description Web address of the place. */
                    url?: string;
                    /**
                     * @description The position was shared live: this is where the person was at first.
                     * @constant
                     */
                    isLive?: true;
                };
                /** @description Contact cards. */
                contacts?: {
                    /** @description Name on the card. */
                    name: string;
                    /** @description Phones as the card writes them. */
                    phones: string[];
                    /** @description E-mail addresses. */
                    emails?: string[];
                    /** @description Company, with department and title where the card has them. */
                    organization?: string;
                    /** @description Web addresses. */
                    urls?: string[];
                    /** @description Postal addresses, each as one line. */
                    addresses?: string[];
                    /** @description Birthday, as the card writes it. */
                    birthday?: string;
                    /** @description Where the card comes from, as the channel spells it: `contact_request` answers a request for the number. */
                    origin?: string;
                }[];
                /** @description A reaction to another message. */
                reaction?: {
                    /**
                     * Format: uuid
                     * @description The message that it is to; null where that is not stored.
                     */
                    messageId: string | null;
                    /** @description The emoji; null takes the reaction back. */
                    emoji: string | null;
                };
                /** @description An order from the catalog. */
                order?: {
                    /** @description Id of the catalog. */
                    catalogId?: string;
                    /** @description The channel's id of the order. */
                    orderId?: string;
                    /** @description The channel's token of the order. */
                    token?: string;
                    /** @description Title of the order. */
                    title?: string;
                    /** @description The ordered products. */
                    items: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description How many of it. */
                        quantity?: number;
                        /** @description Price of one. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                    }[];
                    /** @description How many products, where the channel tells no items. */
                    itemCount?: number;
                    /** @description Price of all items. */
                    subtotal?: string;
                    /** @description Price of the order. */
                    total?: string;
                    /** @description Currency of the sums. */
                    currency?: string;
                    /** @description What the contact wrote beside it. */
                    note?: string;
                };
                /** @description The product of a catalog that the message shows or asks about. */
                product?: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Id of the catalog. */
                    catalogId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description Description of the product. */
                    description?: string;
                    /** @description Price. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                    /** @description Web address of the product. */
                    url?: string;
                    /** @description The channel's address of its picture. */
                    imageUrl?: string;
                };
                /** @description A submitted form. */
                flowAnswer?: {
                    /** @description The channel's name of the form. */
                    name?: string;
                    /** @description The token that the form was sent with. */
                    token?: string;
                    /** @description The submitted fields. */
                    data: {
                        [key: string]: unknown;
                    };
                };
                /** @description A request for money, a payment, or a PIX key. */
                payment?: {
                    /**
                     * @description What it is: a request for money, a payment, the state of an order.
                     * @enum {string}
                     */
                    kind: "request" | "payment" | "declined" | "canceled" | "invitation" | "order" | "pix";
                    /** @description Amount. */
                    amount?: string;
                    /** @description Price of all items, where `amount` holds more. */
                    subtotal?: string;
                    /** @description Discount that `amount` holds. */
                    discount?: string;
                    /** @description Shipping that `amount` holds. */
                    shipping?: string;
                    /** @description Tax that `amount` holds. */
                    tax?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                    /** @description How it is paid, as the channel spells it. */
                    method?: string;
                    /** @description The channel's id of the transaction, or of the stored card. */
                    transactionId?: string;
                    /** @description The last digits of the card. */
                    lastDigits?: string;
                    /**
                     * Format: date-time
                     * @description When it was paid, or chosen to be.
                     */
                    paidAt?: string;
                    /** @description State of the payment, as the channel spells it. */
                    status?: string;
                    /** @description State of the order, as the channel spells it. */
                    orderStatus?: string;
                    /** @description Reference of the payment or order. */
                    referenceId?: string;
                    /** @description What was written beside it. */
                    note?: string;
                    /**
                     * Format: date-time
                     * @description When the request ends.
                     */
                    expiresAt?: string;
                    /** @description The PIX key. */
                    key?: string;
                    /** @description Kind of the PIX key. */
                    keyType?: string;
                    /** @description Who is to receive it. */
                    receiver?: string;
                    /** @description The products of the order. */
                    items?: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description How many of it. */
                        quantity?: number;
                        /** @description Price of one. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                    }[];
                };
                /** @description A poll. */
                poll?: {
                    /** @description The question. */
                    question: string;
                    /** @description What can be voted for. */
                    options: string[];
                    /** @description How many may be chosen; 0 for any number. */
                    maxOptions?: number;
                };
                /** @description A vote in a poll. */
                pollVote?: {
                    /** @description The channel's id of the poll's message; `quotedMessageId` is ours. */
                    pollId?: string;
                    /** @description All that the person chooses now; none takes the vote back. */
                    options: string[];
                };
                /** @description An invitation to an event. */
                event?: {
                    /** @description Name of the event. */
                    name: string;
                    /** @description Description of the event. */
                    description?: string;
                    /**
                     * Format: date-time
                     * @description When it begins.
                     */
                    startsAt?: string;
                    /**
                     * Format: date-time
                     * @description When it ends.
                     */
                    endsAt?: string;
                    /** @description Where it is. */
                    place?: string;
                    /** @description Web address to join by. */
                    url?: string;
                    /**
                     * @description The event is canceled.
                     * @constant
                     */
                    isCanceled?: true;
                };
                /** @description An answer to an invitation. */
                eventAnswer?: {
                    /** @description The channel's id of the event's message; `quotedMessageId` is ours. */
                    eventId?: string;
                    /** @description `going`, `not_going`, `maybe`, or the channel's word. */
                    answer: string;
                };
                /** @description A template, buttons or a list that another business has sent. */
                menu?: {
                    /** @description Header. */
                    title?: string;
                    /** @description Text. */
                    body?: string;
                    /** @description Footer. */
                    footer?: string;
                    /** @description The channel's address of its picture, video or document. */
                    mediaUrl?: string;
                    /** @description Links and options, in their order. */
                    items: {
                        /**
                         * @description What a tap does.
                         * @enum {string}
                         */
                        kind: "reply" | "link" | "phone" | "code" | "row" | "other";
                        /** @description Label. */
                        title?: string;
                        /** @description Id of the option. */
                        id?: string;
                        /** @description Second line of a row. */
                        description?: string;
                        /** @description Web address that it opens. */
                        url?: string;
                        /** @description Phone that it calls. */
                        phone?: string;
                        /** @description Text that it copies. */
                        code?: string;
                    }[];
                };
                /** @description An invitation to a group or a channel. */
                groupInvite?: {
                    /** @description The channel's id of the group. */
                    groupId?: string;
                    /** @description Name of the group. */
                    name?: string;
                    /** @description Code to join by. */
                    code?: string;
                    /**
                     * Format: date-time
                     * @description When the invitation ends.
                     */
                    expiresAt?: string;
                };
                /** @description A call that nobody answered. */
                call?: {
                    /**
                     * @description Kind of the call.
                     * @enum {string}
                     */
                    kind: "voice" | "video";
                    /** @description The channel's id of the call. */
                    callId?: string;
                };
                /** @description The link that the text shows a preview of. */
                preview?: {
                    /** @description The address. */
                    url?: string;
                    /** @description Title of the page. */
                    title?: string;
                    /** @description Description of the page. */
                    description?: string;
                };
                /** @description What surrounds the message. */
                context?: {
                    /**
                     * @description The message was forwarded.
                     * @constant
                     */
                    isForwarded?: true;
                    /**
                     * @description The message was forwarded many times.
                     * @constant
                     */
                    isFrequentlyForwarded?: true;
                    /**
                     * @description It answers a status of ours.
                     * @constant
                     */
                    isStatusReply?: true;
                    /**
                     * @description It was sent to a broadcast list.
                     * @constant
                     */
                    isBroadcast?: true;
                    /** @description Who is mentioned: phones, or the channel's ids. */
                    mentions?: string[];
                    /** @description After how long it disappears at the person's phone. */
                    expiresInSeconds?: number;
                };
                /** @description The ad or post that brought the person. */
                referral?: {
                    /** @description `ad` or `post`, as the channel spells it. */
                    sourceType?: string;
                    /** @description Id of the ad or post. */
                    sourceId?: string;
                    /** @description Web address of the ad or post. */
                    sourceUrl?: string;
                    /** @description Headline of the ad. */
                    headline?: string;
                    /** @description Text of the ad. */
                    body?: string;
                    /** @description Id of the click, for reports to the advertiser. */
                    clickId?: string;
                    /** @description The channel's address of the ad's picture or video. */
                    mediaUrl?: string;
                    /** @description The channel's address of the ad's picture, or of its video's. */
                    imageUrl?: string;
                    /** @description The channel's address of the ad's video. */
                    videoUrl?: string;
                    /** @description `image` or `video`. */
                    mediaType?: string;
                    /** @description What the ad greeted the person with. */
                    welcomeMessage?: string;
                };
                /** @description What the channel says is wrong: why a file is missing, for instance. */
                errors?: {
                    /** @description The channel's code. */
                    code?: string;
                    /** @description The channel's words. */
                    title?: string;
                    /** @description More of its words. */
                    details?: string;
                }[];
                /** @description The channel's name of a kind of message that it does not pass on. */
                unsupportedType?: string;
                /** @description The channel's id of the group that the message was written in. */
                groupId?: string;
                /**
                 * @description The file can be seen once at the person's phone.
                 * @constant
                 */
                isViewOnce?: true;
                /**
                 * @description The video plays as a GIF.
                 * @constant
                 */
                isGif?: true;
                /**
                 * @description It is from before the number was connected: the business's phone has handed it over. No event told it.
                 * @constant
                 */
                isImported?: true;
                /** @description What stands above the text: a text, or the kind of the message's file. */
                header?: {
                    /** @description The text above. */
                    text?: string;
                    /**
                     * @description Kind of the file above.
                     * @enum {string}
                     */
                    type?: "image" | "video" | "document";
                };
                /** @description The buttons to choose from. */
                buttons?: {
                    /** @description Id of the button. */
                    id: string;
                    /** @description Title of the button. */
                    title: string;
                }[];
                /** @description The button that opens a web address. */
                linkButton?: {
                    /** @description Title of the button. */
                    title: string;
                    /** @description The address, https. */
                    url: string;
                };
                /** @description The small text below. */
                footer?: string;
                /** @description Whether the channel shows a preview of a link. */
                linkPreview?: boolean;
                /** @description Whether the file can be seen once only. */
                viewOnce?: boolean;
                /**
                 * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
                 * @enum {string}
                 */
                rendering?: "native" | "text";
                /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
                reduced?: string[];
                /**
                 * Format: date-time
                 * @description Time at which the provider accepted the message, or at which it was received.
                 */
                sentAt: string;
                /**
                 * Format: date-time
                 * @description Time at which the message reached the contact's device.
                 */
                deliveredAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
                 */
                readAt: string | null;
            }[];
            /** @description The contact, as it is now, with `format=raw`; null for an unknown one. */
            contact?: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone: string | null;
                /** @description Name. */
                name: string | null;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId: string | null;
                /** @description The contact's username, in lower case and without `@`; null for none. */
                username: string | null;
                /** @description The contact's hidden identity at a gateway; null for none. */
                lid: string | null;
            } | null;
            /** @description The instance whose history was read. */
            instanceInfo: {
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description The provider's id of the instance; null when it has none yet. */
                gatewayInstanceId: string | null;
            };
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        GetUsageResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Currency of the workspace's rates; null without rates. */
            currency: string | null;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: date
                 * @description The day that it sums up; with `daily` alone.
                 */
                day?: string;
                /** @description The day, the month (`2026-11`), the category, the id of the agent and so on; null for messages without one. */
                key: string | null;
                /** @description Messages that were sent, on the day of sending. By category as the template's or `service`; by type and market null, as these are told with the delivery. */
                sent: number;
                /** @description Messages that were delivered, on the day of the first delivery. */
                delivered: number;
                /** @description Those of them that cost nothing. */
                free: number;
                /** @description Decimal text of what the delivered ones cost by the workspace's rates. */
                estimatedCost: string;
                /** @description Delivered ones of the official channel that are in no sum: no rate was known, or it was in another currency. */
                unknown: number;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        GetBudgetResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The budget: decimal text; null where the instance has none. */
            monthlyAmount: string | null;
            /** @description Currency of the workspace's rates; null without rates, when nothing is ever spent. */
            currency: string | null;
            /** @description What the messages that were delivered this month cost: decimal text. */
            spent: string;
            /** @description What those will cost that the channel has accepted and not delivered yet; 0 without a budget. */
            underWay: string;
            /** @description Whether both together are the budget, or more: what it stops waits now. */
            reached: boolean;
        };
        MessageRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /**
             * @description `inbound` for received messages, `outbound` for sent ones.
             * @enum {string}
             */
            direction: "inbound" | "outbound";
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired" | "received";
            /** @description Type of the message. */
            messageType: string;
            /** @description The text; for media the caption, for an option list the body. */
            message: string | null;
            /** @description The option or the button that the contact selected. */
            choice: {
                /** @description Id of the option. */
                id?: string | null;
                /** @description Title of the option. */
                title: string;
                /** @description The second line of a list's row. */
                description?: string;
            } | null;
            /** @description A position. */
            location?: {
                /** @description Degrees north. */
                latitude: number;
                /** @description Degrees east. */
                longitude: number;
                /** @description Name of the place. */
                name?: string;
                /** @description Address of the place. */
                address?: string;
                /** @description Web address of the place. */
                url?: string;
                /**
                 * @description The position was shared live: this is where the person was at first.
                 * @constant
                 */
                isLive?: true;
            };
            /** @description Contact cards. */
            contacts?: {
                /** @description Name on the card. */
                name: string;
                /** @description Phones as the card writes them. */
                phones: string[];
                /** @description E-mail addresses. */
                emails?: string[];
                /** @description Company, with department and title where the card has them. */
                organization?: string;
                /** @description Web addresses. */
                urls?: string[];
                /** @description Postal addresses, each as one line. */
                addresses?: string[];
                /** @description Birthday, as the card writes it. */
                birthday?: string;
                /** @description Where the card comes from, as the channel spells it: `contact_request` answers a request for the number. */
                origin?: string;
            }[];
            /** @description A reaction to another message. */
            reaction?: {
                /**
                 * Format: uuid
                 * @description The message that it is to; null where that is not stored.
                 */
                messageId: string | null;
                /** @description The emoji; null takes the reaction back. */
                emoji: string | null;
            };
            /** @description An order from the catalog. */
            order?: {
                /** @description Id of the catalog. */
                catalogId?: string;
                /** @description The channel's id of the order. */
                orderId?: string;
                /** @description The channel's token of the order. */
                token?: string;
                /** @description Title of the order. */
                title?: string;
                /** @description The ordered products. */
                items: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description How many of it. */
                    quantity?: number;
                    /** @description Price of one. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                }[];
                /** @description How many products, where the channel tells no items. */
                itemCount?: number;
                /** @description Price of all items. */
                subtotal?: string;
                /** @description Price of the order. */
                total?: string;
                /** @description Currency of the sums. */
                currency?: string;
                /** @description What the contact wrote beside it. */
                note?: string;
            };
            /** @description The product of a catalog that the message shows or asks about. */
            product?: {
                /** @description The product's id in the catalog, the seller's own where it has one. */
                productId?: string;
                /** @description Id of the catalog. */
                catalogId?: string;
                /** @description Name of the product. */
                name?: string;
                /** @description Description of the product. */
                description?: string;
                /** @description Price. */
                price?: string;
                /** @description Currency, such as `BRL`. */
                currency?: string;
                /** @description Web address of the product. */
                url?: string;
                /** @description The channel's address of its picture. */
                imageUrl?: string;
            };
            /** @description A submitted form. */
            flowAnswer?: {
                /** @description The channel's name of the form. */
                name?: string;
                /** @description The token that the form was sent with. */
                token?: string;
                /** @description The submitted fields. */
                data: {
                    [key: string]: unknown;
                };
            };
            /** @description A request for money, a payment, or a PIX key. */
            payment?: {
                /**
                 * @description What it is: a request for money, a payment, the state of an order.
                 * @enum {string}
                 */
                kind: "request" | "payment" | "declined" | "canceled" | "invitation" | "order" | "pix";
                /** @description Amount. */
                amount?: string;
                /** @description Price of all items, where `amount` holds more. */
                subtotal?: string;
                /** @description Discount that `amount` holds. */
                discount?: string;
                /** @description Shipping that `amount` holds. */
                shipping?: string;
                /** @description Tax that `amount` holds. */
                tax?: string;
                /** @description Currency, such as `BRL`. */
                currency?: string;
                /** @description How it is paid, as the channel spells it. */
                method?: string;
                /** @description The channel's id of the transaction, or of the stored card. */
                transactionId?: string;
                /** @description The last digits of the card. */
                lastDigits?: string;
                /**
                 * Format: date-time
                 * @description When it was paid, or chosen to be.
                 */
                paidAt?: string;
                /** @description State of the payment, as the channel spells it. */
                status?: string;
                /** @description State of the order, as the channel spells it. */
                orderStatus?: string;
                /** @description Reference of the payment or order. */
                referenceId?: string;
                /** @description What was written beside it. */
                note?: string;
                /**
                 * Format: date-time
                 * @description When the request ends.
                 */
                expiresAt?: string;
                /** @description The PIX key. */
                key?: string;
                /** @description Kind of the PIX key. */
                keyType?: string;
                /** @description Who is to receive it. */
                receiver?: string;
                /** @description The products of the order. */
                items?: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description How many of it. */
                    quantity?: number;
                    /** @description Price of one. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                }[];
            };
            /** @description A poll. */
            poll?: {
                /** @description The question. */
                question: string;
                /** @description What can be voted for. */
                options: string[];
                /** @description How many may be chosen; 0 for any number. */
                maxOptions?: number;
            };
            /** @description A vote in a poll. */
            pollVote?: {
                /** @description The channel's id of the poll's message; `quotedMessageId` is ours. */
                pollId?: string;
                /** @description All that the person chooses now; none takes the vote back. */
                options: string[];
            };
            /** @description An invitation to an event. */
            event?: {
                /** @description Name of the event. */
                name: string;
                /** @description Description of the event. */
                description?: string;
                /**
                 * Format: date-time
                 * @description When it begins.
                 */
                startsAt?: string;
                /**
                 * Format: date-time
                 * @description When it ends.
                 */
                endsAt?: string;
                /** @description Where it is. */
                place?: string;
                /** @description Web address to join by. */
                url?: string;
                /**
                 * @description The event is canceled.
                 * @constant
                 */
                isCanceled?: true;
            };
            /** @description An answer to an invitation. */
            eventAnswer?: {
                /** @description The channel's id of the event's message; `quotedMessageId` is ours. */
                eventId?: string;
                /** @description `going`, `not_going`, `maybe`, or the channel's word. */
                answer: string;
            };
            /** @description A template, buttons or a list that another business has sent. */
            menu?: {
                /** @description Header. */
                title?: string;
                /** @description Text. */
                body?: string;
                /** @description Footer. */
                footer?: string;
                /** @description The channel's address of its picture, video or document. */
                mediaUrl?: string;
                /** @description Links and options, in their order. */
                items: {
                    /**
                     * @description What a tap does.
                     * @enum {string}
                     */
                    kind: "reply" | "link" | "phone" | "code" | "row" | "other";
                    /** @description Label. */
                    title?: string;
                    /** @description Id of the option. */
                    id?: string;
                    /** @description Second line of a row. */
                    description?: string;
                    /** @description Web address that it opens. */
                    url?: string;
                    /** @description Phone that it calls. */
                    phone?: string;
                    /** @description Text that it copies. */
                    code?: string;
                }[];
            };
            /** @description An invitation to a group or a channel. */
            groupInvite?: {
                /** @description The channel's id of the group. */
                groupId?: string;
                /** @description Name of the group. */
                name?: string;
                /** @description Code to join by. */
                code?: string;
                /**
                 * Format: date-time
                 * @description When the invitation ends.
                 */
                expiresAt?: string;
            };
            /** @description A call that nobody answered. */
            call?: {
                /**
                 * @description Kind of the call.
                 * @enum {string}
                 */
                kind: "voice" | "video";
                /** @description The channel's id of the call. */
                callId?: string;
            };
            /** @description The link that the text shows a preview of. */
            preview?: {
                /** @description The address. */
                url?: string;
                /** @description Title of the page. */
                title?: string;
                /** @description Description of the page. */
                description?: string;
            };
            /** @description What surrounds the message. */
            context?: {
                /**
                 * @description The message was forwarded.
                 * @constant
                 */
                isForwarded?: true;
                /**
                 * @description The message was forwarded many times.
                 * @constant
                 */
                isFrequentlyForwarded?: true;
                /**
                 * @description It answers a status of ours.
                 * @constant
                 */
                isStatusReply?: true;
                /**
                 * @description It was sent to a broadcast list.
                 * @constant
                 */
                isBroadcast?: true;
                /** @description Who is mentioned: phones, or the channel's ids. */
                mentions?: string[];
                /** @description After how long it disappears at the person's phone. */
                expiresInSeconds?: number;
            };
            /** @description The ad or post that brought the person. */
            referral?: {
                /** @description `ad` or `post`, as the channel spells it. */
                sourceType?: string;
                /** @description Id of the ad or post. */
                sourceId?: string;
                /** @description Web address of the ad or post. */
                sourceUrl?: string;
                /** @description Headline of the ad. */
                headline?: string;
                /** @description Text of the ad. */
                body?: string;
                /** @description Id of the click, for reports to the advertiser. */
                clickId?: string;
                /** @description The channel's address of the ad's picture or video. */
                mediaUrl?: string;
                /** @description The channel's address of the ad's picture, or of its video's. */
                imageUrl?: string;
                /** @description The channel's address of the ad's video. */
                videoUrl?: string;
                /** @description `image` or `video`. */
                mediaType?: string;
                /** @description What the ad greeted the person with. */
                welcomeMessage?: string;
            };
            /** @description What the channel says is wrong: why a file is missing, for instance. */
            errors?: {
                /** @description The channel's code. */
                code?: string;
                /** @description The channel's words. */
                title?: string;
                /** @description More of its words. */
                details?: string;
            }[];
            /** @description The channel's name of a kind of message that it does not pass on. */
            unsupportedType?: string;
            /** @description The channel's id of the group that the message was written in. */
            groupId?: string;
            /**
             * @description The file can be seen once at the person's phone.
             * @constant
             */
            isViewOnce?: true;
            /**
             * @description The video plays as a GIF.
             * @constant
             */
            isGif?: true;
            /**
             * @description It is from before the number was connected: the business's phone has handed it over. No event told it.
             * @constant
             */
            isImported?: true;
            /** @description What stands above the text: a text, or the kind of the message's file. */
            header?: {
                /** @description The text above. */
                text?: string;
                /**
                 * @description Kind of the file above.
                 * @enum {string}
                 */
                type?: "image" | "video" | "document";
            };
            /** @description The options to choose from, in one list or in sections. */
            optionList?: {
                /** @description Title of the list. */
                title: string;
                /** @description Text of the button that opens the list. */
                buttonLabel: string;
                /** @description The options. */
                options?: {
                    /** @description Id of the option. */
                    id: string;
                    /** @description Title of the option. */
                    title: string;
                    /** @description Second line of the option. */
                    description?: string;
                }[];
                /** @description The sections, in place of `options`. */
                sections?: {
                    /** @description Title of the section. */
                    title: string;
                    /** @description The options. */
                    options: {
                        /** @description Id of the option. */
                        id: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                }[];
            };
            /** @description The buttons to choose from. */
            buttons?: {
                /** @description Id of the button. */
                id: string;
                /** @description Title of the button. */
                title: string;
            }[];
            /** @description The button that opens a web address. */
            linkButton?: {
                /** @description Title of the button. */
                title: string;
                /** @description The address, https. */
                url: string;
            };
            /** @description The small text below. */
            footer?: string;
            /** @description Whether the channel shows a preview of a link. */
            linkPreview?: boolean;
            /** @description Whether the file can be seen once only. */
            viewOnce?: boolean;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * Format: uuid
             * @description The message that this one answers; null for none, and for one that this service has not stored.
             */
            quotedMessageId: string | null;
            /** @description The provider's id of the message that this one answers; null for none. */
            quotedProviderMessageId: string | null;
            /** @description Whether the chat is a group. */
            isGroup: boolean;
            /** @description The provider's name of the chat. */
            chatName: string | null;
            /** @description Who wrote the message in a group, by all that the provider tells; null for what is not from a group. */
            author: {
                /** @description The author's name. */
                name?: string;
                /** @description The author's phone. */
                phone?: string;
                /** @description The author's user id at the official channel. */
                userId?: string;
                /** @description The author's username, in lower case and without `@`. */
                username?: string;
                /** @description The author's hidden identity at a gateway. */
                lid?: string;
            } | null;
            /** @description `sentBy` of the call that sent it; `phone` for what was typed on the phone, `other_app` for what another program sent through the same channel; null for a received message. */
            sentBy: string | null;
            /** @description Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells. */
            isTypedOnPhone: boolean;
            /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
            cardId: string | null;
            /**
             * Format: uuid
             * @description The batch that the message belongs to.
             */
            batchId: string | null;
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose: "marketing" | "utility" | "authentication" | "service";
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey: string | null;
            /** @description The `metadata` of the call that sent it; empty when it had none. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: uuid
             * @description Id of the message's file at media-api; null for none.
             */
            mediaId: string | null;
            /**
             * @description `pending`: the file is being fetched from the provider; `stored`; `failed`: it could not be fetched; `expired`: it is gone. Null for no file of ours.
             * @enum {string|null}
             */
            mediaStatus: "pending" | "stored" | "failed" | "expired" | null;
            /** @description Link to the file: of a file of ours a signed one, which works without a token for seven days, a new one in each answer; of a message that was sent with `mediaUrl`, that URL. Null for no file, and for one that is `failed` or `expired`. */
            mediaUrl: string | null;
            /** @description Name of the file; null for none. */
            mediaFilename: string | null;
            /** @description Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known. */
            mediaMimeType: string | null;
            /** @description Size of the file in bytes; null while it is not known. */
            mediaSize: number | null;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description The contact of the message. */
            contact: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone: string | null;
                /** @description Name. */
                name: string | null;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId: string | null;
                /** @description The contact's username, in lower case and without `@`; null for none. */
                username: string | null;
                /** @description The contact's hidden identity at a gateway; null for none. */
                lid: string | null;
            };
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /** @description What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other. */
            channelStatus: string | null;
            /** @description How the official channel bills the message, told with its delivery; else null. */
            pricing: {
                /** @description `regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells. */
                type: string | null;
                /** @description What it is billed as: `service`, `utility`, `marketing`, or the channel's word. */
                category: string;
                /** @description The channel's pricing model, such as `PMP`; null until it tells. */
                model: string | null;
                /** @description The market of the workspace's rates that the person's phone belongs to. */
                market: string | null;
                /**
                 * @description Who says so: the channel, or this service by the template's category until the channel tells.
                 * @enum {string}
                 */
                source: "channel" | "derived";
                /** @description What has opened the channel's conversation; newer versions of it do not tell. */
                conversationOrigin?: string;
            } | null;
            /** @description What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways. */
            estimatedCost: {
                /** @description Decimal text of the currency's unit. */
                amount: string;
                /** @description Currency of the workspace's rates, such as `USD`. */
                currency: string;
            } | null;
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /**
             * Format: uuid
             * @description Of an invitation: the first message that waits for its answer.
             */
            invitationFor?: string;
            /** @description Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known. */
            groupReceipts?: {
                /** @description The member's phone. */
                phone?: string;
                /** @description The member's user id at the official channel. */
                userId?: string;
                /** @description The member's hidden identity at a gateway. */
                lid?: string;
                /**
                 * Format: date-time
                 * @description When it reached the member's phone, at the latest.
                 */
                deliveredAt: string;
                /**
                 * Format: date-time
                 * @description When the member read it; null for not yet.
                 */
                readAt: string | null;
            }[];
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * Format: date-time
             * @description What has not left by then is never sent and becomes `expired`; null for no end.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time at which the provider accepted the message.
             */
            sentAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the message reached the contact's device.
             */
            deliveredAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
             */
            readAt: string | null;
            /**
             * Format: date-time
             * @description Time at which sending failed for good.
             */
            failedAt: string | null;
            /**
             * Format: date-time
             * @description When the message was edited last, by a person or by a call; null for never. `message` has the new words.
             */
            editedAt: string | null;
            /**
             * Format: date-time
             * @description When it was told that the message is deleted for everyone, by a person or for a call; null for never.
             */
            deletedAt: string | null;
            /** @description Number of attempts. */
            attempts: number;
            /** @description Error of the last failed attempt; null when none has failed. */
            lastError: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message: string;
            } | null;
            /** @description The last edit or deletion for everyone that a call asked for; left out where none did, and in events. */
            change?: {
                /**
                 * @description What was asked for.
                 * @enum {string}
                 */
                kind: "edit" | "delete";
                /**
                 * @description `done`: the provider took it, or told it. `refused`: nothing was changed. `unknown`: the provider may or may not have done it; it is not asked again by itself, and its own word settles it.
                 * @enum {string}
                 */
                status: "under_way" | "done" | "refused" | "unknown";
                /** @description The words of an edit; null of a deletion. */
                message: string | null;
                /**
                 * Format: date-time
                 * @description When it was asked for.
                 */
                requestedAt: string;
                /** @description Why it is refused or unknown; null otherwise. */
                error: {
                    /** @description The provider's code, or ours. */
                    code: string;
                    /** @description The provider's words, or ours. */
                    message: string;
                } | null;
            };
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListMessagesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The message's UUID in this service.
                 */
                messageId: string;
                /**
                 * @description `inbound` for received messages, `outbound` for sent ones.
                 * @enum {string}
                 */
                direction: "inbound" | "outbound";
                /**
                 * @description Status of the message.
                 * @enum {string}
                 */
                status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired" | "received";
                /** @description Type of the message. */
                messageType: string;
                /** @description The text; for media the caption, for an option list the body. */
                message: string | null;
                /** @description The option or the button that the contact selected. */
                choice: {
                    /** @description Id of the option. */
                    id?: string | null;
                    /** @description Title of the option. */
                    title: string;
                    /** @description The second line of a list's row. */
                    description?: string;
                } | null;
                /** @description A position. */
                location?: {
                    /** @description Degrees north. */
                    latitude: number;
                    /** @description Degrees east. */
                    longitude: number;
                    /** @description Name of the place. */
                    name?: string;
                    /** @description Address of the place. */
                    address?: string;
                    /** @description Web address of the place. */
                    url?: string;
                    /**
                     * @description The position was shared live: this is where the person was at first.
                     * @constant
                     */
                    isLive?: true;
                };
                /** @description Contact cards. */
                contacts?: {
                    /** @description Name on the card. */
                    name: string;
                    /** @description Phones as the card writes them. */
                    phones: string[];
                    /** @description E-mail addresses. */
                    emails?: string[];
                    /** @description Company, with department and title where the card has them. */
                    organization?: string;
                    /** @description Web addresses. */
                    urls?: string[];
                    /** @description Postal addresses, each as one line. */
                    addresses?: string[];
                    /** @description Birthday, as the card writes it. */
                    birthday?: string;
                    /** @description Where the card comes from, as the channel spells it: `contact_request` answers a request for the number. */
                    origin?: string;
                }[];
                /** @description A reaction to another message. */
                reaction?: {
                    /**
                     * Format: uuid
                     * @description The message that it is to; null where that is not stored.
                     */
                    messageId: string | null;
                    /** @description The emoji; null takes the reaction back. */
                    emoji: string | null;
                };
                /** @description An order from the catalog. */
                order?: {
                    /** @description Id of the catalog. */
                    catalogId?: string;
                    /** @description The channel's id of the order. */
                    orderId?: string;
                    /** @description The channel's token of the order. */
                    token?: string;
                    /** @description Title of the order. */
                    title?: string;
                    /** @description The ordered products. */
                    items: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description How many of it. */
                        quantity?: number;
                        /** @description Price of one. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                    }[];
                    /** @description How many products, where the channel tells no items. */
                    itemCount?: number;
                    /** @description Price of all items. */
                    subtotal?: string;
                    /** @description Price of the order. */
                    total?: string;
                    /** @description Currency of the sums. */
                    currency?: string;
                    /** @description What the contact wrote beside it. */
                    note?: string;
                };
                /** @description The product of a catalog that the message shows or asks about. */
                product?: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Id of the catalog. */
                    catalogId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description Description of the product. */
                    description?: string;
                    /** @description Price. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                    /** @description Web address of the product. */
                    url?: string;
                    /** @description The channel's address of its picture. */
                    imageUrl?: string;
                };
                /** @description A submitted form. */
                flowAnswer?: {
                    /** @description The channel's name of the form. */
                    name?: string;
                    /** @description The token that the form was sent with. */
                    token?: string;
                    /** @description The submitted fields. */
                    data: {
                        [key: string]: unknown;
                    };
                };
                /** @description A request for money, a payment, or a PIX key. */
                payment?: {
                    /**
                     * @description What it is: a request for money, a payment, the state of an order.
                     * @enum {string}
                     */
                    kind: "request" | "payment" | "declined" | "canceled" | "invitation" | "order" | "pix";
                    /** @description Amount. */
                    amount?: string;
                    /** @description Price of all items, where `amount` holds more. */
                    subtotal?: string;
                    /** @description Discount that `amount` holds. */
                    discount?: string;
                    /** @description Shipping that `amount` holds. */
                    shipping?: string;
                    /** @description Tax that `amount` holds. */
                    tax?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                    /** @description How it is paid, as the channel spells it. */
                    method?: string;
                    /** @description The channel's id of the transaction, or of the stored card. */
                    transactionId?: string;
                    /** @description The last digits of the card. */
                    lastDigits?: string;
                    /**
                     * Format: date-time
                     * @description When it was paid, or chosen to be.
                     */
                    paidAt?: string;
                    /** @description State of the payment, as the channel spells it. */
                    status?: string;
                    /** @description State of the order, as the channel spells it. */
                    orderStatus?: string;
                    /** @description Reference of the payment or order. */
                    referenceId?: string;
                    /** @description What was written beside it. */
                    note?: string;
                    /**
                     * Format: date-time
                     * @description When the request ends.
                     */
                    expiresAt?: string;
                    /** @description The PIX key. */
                    key?: string;
                    /** @description Kind of the PIX key. */
                    keyType?: string;
                    /** @description Who is to receive it. */
                    receiver?: string;
                    /** @description The products of the order. */
                    items?: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description How many of it. */
                        quantity?: number;
                        /** @description Price of one. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                    }[];
                };
                /** @description A poll. */
                poll?: {
                    /** @description The question. */
                    question: string;
                    /** @description What can be voted for. */
                    options: string[];
                    /** @description How many may be chosen; 0 for any number. */
                    maxOptions?: number;
                };
                /** @description A vote in a poll. */
                pollVote?: {
                    /** @description The channel's id of the poll's message; `quotedMessageId` is ours. */
                    pollId?: string;
                    /** @description All that the person chooses now; none takes the vote back. */
                    options: string[];
                };
                /** @description An invitation to an event. */
                event?: {
                    /** @description Name of the event. */
                    name: string;
                    /** @description Description of the event. */
                    description?: string;
                    /**
                     * Format: date-time
                     * @description When it begins.
                     */
                    startsAt?: string;
                    /**
                     * Format: date-time
                     * @description When it ends.
                     */
                    endsAt?: string;
                    /** @description Where it is. */
                    place?: string;
                    /** @description Web address to join by. */
                    url?: string;
                    /**
                     * @description The event is canceled.
                     * @constant
                     */
                    isCanceled?: true;
                };
                /** @description An answer to an invitation. */
                eventAnswer?: {
                    /** @description The channel's id of the event's message; `quotedMessageId` is ours. */
                    eventId?: string;
                    /** @description `going`, `not_going`, `maybe`, or the channel's word. */
                    answer: string;
                };
                /** @description A template, buttons or a list that another business has sent. */
                menu?: {
                    /** @description Header. */
                    title?: string;
                    /** @description Text. */
                    body?: string;
                    /** @description Footer. */
                    footer?: string;
                    /** @description The channel's address of its picture, video or document. */
                    mediaUrl?: string;
                    /** @description Links and options, in their order. */
                    items: {
                        /**
                         * @description What a tap does.
                         * @enum {string}
                         */
                        kind: "reply" | "link" | "phone" | "code" | "row" | "other";
                        /** @description Label. */
                        title?: string;
                        /** @description Id of the option. */
                        id?: string;
                        /** @description Second line of a row. */
                        description?: string;
                        /** @description Web address that it opens. */
                        url?: string;
                        /** @description Phone that it calls. */
                        phone?: string;
                        /** @description Text that it copies. */
                        code?: string;
                    }[];
                };
                /** @description An invitation to a group or a channel. */
                groupInvite?: {
                    /** @description The channel's id of the group. */
                    groupId?: string;
                    /** @description Name of the group. */
                    name?: string;
                    /** @description Code to join by. */
                    code?: string;
                    /**
                     * Format: date-time
                     * @description When the invitation ends.
                     */
                    expiresAt?: string;
                };
                /** @description A call that nobody answered. */
                call?: {
                    /**
                     * @description Kind of the call.
                     * @enum {string}
                     */
                    kind: "voice" | "video";
                    /** @description The channel's id of the call. */
                    callId?: string;
                };
                /** @description The link that the text shows a preview of. */
                preview?: {
                    /** @description The address. */
                    url?: string;
                    /** @description Title of the page. */
                    title?: string;
                    /** @description Description of the page. */
                    description?: string;
                };
                /** @description What surrounds the message. */
                context?: {
                    /**
                     * @description The message was forwarded.
                     * @constant
                     */
                    isForwarded?: true;
                    /**
                     * @description The message was forwarded many times.
                     * @constant
                     */
                    isFrequentlyForwarded?: true;
                    /**
                     * @description It answers a status of ours.
                     * @constant
                     */
                    isStatusReply?: true;
                    /**
                     * @description It was sent to a broadcast list.
                     * @constant
                     */
                    isBroadcast?: true;
                    /** @description Who is mentioned: phones, or the channel's ids. */
                    mentions?: string[];
                    /** @description After how long it disappears at the person's phone. */
                    expiresInSeconds?: number;
                };
                /** @description The ad or post that brought the person. */
                referral?: {
                    /** @description `ad` or `post`, as the channel spells it. */
                    sourceType?: string;
                    /** @description Id of the ad or post. */
                    sourceId?: string;
                    /** @description Web address of the ad or post. */
                    sourceUrl?: string;
                    /** @description Headline of the ad. */
                    headline?: string;
                    /** @description Text of the ad. */
                    body?: string;
                    /** @description Id of the click, for reports to the advertiser. */
                    clickId?: string;
                    /** @description The channel's address of the ad's picture or video. */
                    mediaUrl?: string;
                    /** @description The channel's address of the ad's picture, or of its video's. */
                    imageUrl?: string;
                    /** @description The channel's address of the ad's video. */
                    videoUrl?: string;
                    /** @description `image` or `video`. */
                    mediaType?: string;
                    /** @description What the ad greeted the person with. */
                    welcomeMessage?: string;
                };
                /** @description What the channel says is wrong: why a file is missing, for instance. */
                errors?: {
                    /** @description The channel's code. */
                    code?: string;
                    /** @description The channel's words. */
                    title?: string;
                    /** @description More of its words. */
                    details?: string;
                }[];
                /** @description The channel's name of a kind of message that it does not pass on. */
                unsupportedType?: string;
                /** @description The channel's id of the group that the message was written in. */
                groupId?: string;
                /**
                 * @description The file can be seen once at the person's phone.
                 * @constant
                 */
                isViewOnce?: true;
                /**
                 * @description The video plays as a GIF.
                 * @constant
                 */
                isGif?: true;
                /**
                 * @description It is from before the number was connected: the business's phone has handed it over. No event told it.
                 * @constant
                 */
                isImported?: true;
                /** @description What stands above the text: a text, or the kind of the message's file. */
                header?: {
                    /** @description The text above. */
                    text?: string;
                    /**
                     * @description Kind of the file above.
                     * @enum {string}
                     */
                    type?: "image" | "video" | "document";
                };
                /** @description The options to choose from, in one list or in sections. */
                optionList?: {
                    /** @description Title of the list. */
                    title: string;
                    /** @description Text of the button that opens the list. */
                    buttonLabel: string;
                    /** @description The options. */
                    options?: {
                        /** @description Id of the option. */
                        id: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                    /** @description The sections, in place of `options`. */
                    sections?: {
                        /** @description Title of the section. */
                        title: string;
                        /** @description The options. */
                        options: {
                            /** @description Id of the option. */
                            id: string;
                            /** @description Title of the option. */
                            title: string;
                            /** @description Second line of the option. */
                            description?: string;
                        }[];
                    }[];
                };
                /** @description The buttons to choose from. */
                buttons?: {
                    /** @description Id of the button. */
                    id: string;
                    /** @description Title of the button. */
                    title: string;
                }[];
                /** @description The button that opens a web address. */
                linkButton?: {
                    /** @description Title of the button. */
                    title: string;
                    /** @description The address, https. */
                    url: string;
                };
                /** @description The small text below. */
                footer?: string;
                /** @description Whether the channel shows a preview of a link. */
                linkPreview?: boolean;
                /** @description Whether the file can be seen once only. */
                viewOnce?: boolean;
                /**
                 * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
                 * @enum {string}
                 */
                rendering?: "native" | "text";
                /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
                reduced?: string[];
                /**
                 * Format: uuid
                 * @description The message that this one answers; null for none, and for one that this service has not stored.
                 */
                quotedMessageId: string | null;
                /** @description The provider's id of the message that this one answers; null for none. */
                quotedProviderMessageId: string | null;
                /** @description Whether the chat is a group. */
                isGroup: boolean;
                /** @description The provider's name of the chat. */
                chatName: string | null;
                /** @description Who wrote the message in a group, by all that the provider tells; null for what is not from a group. */
                author: {
                    /** @description The author's name. */
                    name?: string;
                    /** @description The author's phone. */
                    phone?: string;
                    /** @description The author's user id at the official channel. */
                    userId?: string;
                    /** @description The author's username, in lower case and without `@`. */
                    username?: string;
                    /** @description The author's hidden identity at a gateway. */
                    lid?: string;
                } | null;
                /** @description Origin of the message: `ai_agent`, `api`, `scheduled`, `automation`, `operator`, or any other text. A message of send-message pauses the agent with every value except `ai_agent`. */
                sentBy: string | null;
                /** @description Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells. */
                isTypedOnPhone: boolean;
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId: string | null;
                /**
                 * Format: uuid
                 * @description The batch that the message belongs to.
                 */
                batchId: string | null;
                /**
                 * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
                 * @enum {string}
                 */
                purpose: "marketing" | "utility" | "authentication" | "service";
                /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
                cancelKey: string | null;
                /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
                metadata: {
                    [key: string]: string;
                };
                /**
                 * Format: uuid
                 * @description Id of the message's file at media-api; null for none.
                 */
                mediaId: string | null;
                /**
                 * @description `pending`: the file is being fetched from the provider; `stored`; `failed`: it could not be fetched; `expired`: it is gone. Null for no file of ours.
                 * @enum {string|null}
                 */
                mediaStatus: "pending" | "stored" | "failed" | "expired" | null;
                /** @description Link to the file: of a file of ours a signed one, which works without a token for seven days, a new one in each answer; of a message that was sent with `mediaUrl`, that URL. Null for no file, and for one that is `failed` or `expired`. */
                mediaUrl: string | null;
                /** @description File name of a document, as the contact sees it. */
                mediaFilename: string | null;
                /** @description Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known. */
                mediaMimeType: string | null;
                /** @description Size of the file in bytes; null while it is not known. */
                mediaSize: number | null;
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description The contact of the message. */
                contact: {
                    /**
                     * Format: uuid
                     * @description The contact's UUID. The UUID of a merged contact means the survivor.
                     */
                    contactId: string;
                    /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                    phone: string | null;
                    /** @description Name. */
                    name: string | null;
                    /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                    userId: string | null;
                    /** @description The contact's username, in lower case and without `@`; null for none. */
                    username: string | null;
                    /** @description The contact's hidden identity at a gateway; null for none. */
                    lid: string | null;
                };
                /**
                 * Format: uuid
                 * @description The conversation's UUID.
                 */
                conversationId: string;
                /** @description The provider's id of the message; null until the provider accepts the message. */
                providerMessageId: string | null;
                /** @description What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other. */
                channelStatus: string | null;
                /** @description How the official channel bills the message, told with its delivery; else null. */
                pricing: {
                    /** @description `regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells. */
                    type: string | null;
                    /** @description What it is billed as: `service`, `utility`, `marketing`, or the channel's word. */
                    category: string;
                    /** @description The channel's pricing model, such as `PMP`; null until it tells. */
                    model: string | null;
                    /** @description The market of the workspace's rates that the person's phone belongs to. */
                    market: string | null;
                    /**
                     * @description Who says so: the channel, or this service by the template's category until the channel tells.
                     * @enum {string}
                     */
                    source: "channel" | "derived";
                    /** @description What has opened the channel's conversation; newer versions of it do not tell. */
                    conversationOrigin?: string;
                } | null;
                /** @description What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways. */
                estimatedCost: {
                    /** @description Decimal text of the currency's unit. */
                    amount: string;
                    /** @description Currency of the workspace's rates, such as `USD`. */
                    currency: string;
                } | null;
                /**
                 * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
                 * @enum {string}
                 */
                sentAs?: "message" | "direct_send" | "template" | "invitation";
                /** @description The template that goes in the message's place, or as an invitation. */
                template?: {
                    /**
                     * Format: uuid
                     * @description Id of the template.
                     */
                    templateId: string;
                    /** @description Name of the template. */
                    name: string;
                };
                /**
                 * Format: uuid
                 * @description The invitation for whose answer the message waits, or has waited.
                 */
                invitationId?: string;
                /**
                 * Format: uuid
                 * @description Of an invitation: the first message that waits for its answer.
                 */
                invitationFor?: string;
                /** @description Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known. */
                groupReceipts?: {
                    /** @description The member's phone. */
                    phone?: string;
                    /** @description The member's user id at the official channel. */
                    userId?: string;
                    /** @description The member's hidden identity at a gateway. */
                    lid?: string;
                    /**
                     * Format: date-time
                     * @description When it reached the member's phone, at the latest.
                     */
                    deliveredAt: string;
                    /**
                     * Format: date-time
                     * @description When the member read it; null for not yet.
                     */
                    readAt: string | null;
                }[];
                /**
                 * Format: date-time
                 * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
                 */
                scheduledFor: string | null;
                /**
                 * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
                 * @enum {string|null}
                 */
                heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
                /**
                 * Format: date-time
                 * @description What has not left by then is never sent and becomes `expired`; null for no end.
                 */
                expiresAt: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time at which the provider accepted the message.
                 */
                sentAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the message reached the contact's device.
                 */
                deliveredAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
                 */
                readAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which sending failed for good.
                 */
                failedAt: string | null;
                /**
                 * Format: date-time
                 * @description When the message was edited last, by a person or by a call; null for never. `message` has the new words.
                 */
                editedAt: string | null;
                /**
                 * Format: date-time
                 * @description When it was told that the message is deleted for everyone, by a person or for a call; null for never.
                 */
                deletedAt: string | null;
                /** @description Number of attempts. */
                attempts: number;
                /** @description Error of the last failed attempt; null when none has failed. */
                lastError: {
                    /** @description The provider's error code, or a code of this service when the provider sent none. */
                    code: string;
                    /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                    message: string;
                } | null;
                /** @description The last edit or deletion for everyone that a call asked for; left out where none did, and in events. */
                change?: {
                    /**
                     * @description What was asked for.
                     * @enum {string}
                     */
                    kind: "edit" | "delete";
                    /**
                     * @description `done`: the provider took it, or told it. `refused`: nothing was changed. `unknown`: the provider may or may not have done it; it is not asked again by itself, and its own word settles it.
                     * @enum {string}
                     */
                    status: "under_way" | "done" | "refused" | "unknown";
                    /** @description The words of an edit; null of a deletion. */
                    message: string | null;
                    /**
                     * Format: date-time
                     * @description When it was asked for.
                     */
                    requestedAt: string;
                    /** @description Why it is refused or unknown; null otherwise. */
                    error: {
                        /** @description The provider's code, or ours. */
                        code: string;
                        /** @description The provider's words, or ours. */
                        message: string;
                    } | null;
                };
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        MoveMessageRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description What has not left by then is never sent and becomes `expired`; null for no end. */
            expiresAt?: string & (unknown & unknown);
            /** @description The new words of a sent message. */
            message?: string;
        };
        MoveMessageFailure: components["schemas"]["Error"] & {
            /** @description The provider's error, without credentials. */
            details?: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code?: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message?: string;
                /** @description Why the outcome is unknown. */
                reason?: string;
                /** @description The rungs of `outsideWindow`, of which none was left. */
                rungs?: {
                    /** @description `directSend`, `template` or `invite`. */
                    rung: string;
                    /** @description Why it could not be taken. */
                    reason: string;
                }[];
            };
            /** @description Whether the failure is temporary, so that the call can be repeated. */
            retryable?: boolean;
        };
        CancelMessageFailure: components["schemas"]["Error"] & {
            /** @description The provider's error, without credentials. */
            details?: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code?: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message?: string;
                /** @description Why the outcome is unknown. */
                reason?: string;
                /** @description The rungs of `outsideWindow`, of which none was left. */
                rungs?: {
                    /** @description `directSend`, `template` or `invite`. */
                    rung: string;
                    /** @description Why it could not be taken. */
                    reason: string;
                }[];
            };
            /** @description Whether the failure is temporary, so that the call can be repeated. */
            retryable?: boolean;
        };
        CancelMessagesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of messages that were canceled. */
            canceled: number;
        };
        ReadMessageRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Whether to show the contact that somebody is writing; false by default. Default: `false`. */
            typing?: boolean;
        };
        ReadMessageResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The message's UUID in this service. */
            messageId: string;
            /**
             * @description `read`: done. `not_supported`: this channel cannot. `refused` or `unknown`: see `details`.
             * @enum {string}
             */
            channel: "read" | "not_supported" | "refused" | "unknown";
            /**
             * @description Whether to show the contact that somebody is writing; false by default.
             * @enum {string|null}
             */
            typing: "shown" | "requested" | "not_supported" | "refused" | "unknown" | null;
            /** @description What the provider said where it did not do it. */
            details?: {
                /** @description The provider's code; `outcome_unknown` where its answer was lost. */
                code: string;
                /** @description The provider's words. */
                message: string;
            };
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListQueueResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Queued messages in sending order. */
            items: {
                /**
                 * Format: uuid
                 * @description The message's UUID in this service.
                 */
                messageId: string;
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone: string | null;
                /** @description Type of the message. */
                messageType: string;
                /**
                 * Format: date-time
                 * @description Earliest time of sending, in the instance's time zone.
                 */
                scheduledFor: string | null;
                /**
                 * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
                 * @enum {string|null}
                 */
                heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
                /** @description Position in the queue, starting at 1. */
                position: number;
            }[];
            /** @description Number of the instance's queued messages, on all pages. */
            total: number;
            /** @description The limits of the instance's present day; null where it has no `protection`. */
            protection: {
                /**
                 * Format: date
                 * @description The instance's own day.
                 */
                day: string;
                /** @description Messages that may leave on this day; null for no limit. */
                limit: number | null;
                /**
                 * @description What sets the limit; null for none.
                 * @enum {string|null}
                 */
                limitedBy: "daily_limit" | "warm_up" | null;
                /** @description Messages sent on this day, immediate ones too. */
                sent: number;
                /** @description Queued messages whose turn comes on this day. */
                waiting: number;
                /** @description The same of contacts that are written to for the first time; null for no limit. */
                newContacts: {
                    /** @description New contacts a day. */
                    limit: number;
                    /** @description New contacts that were written to on this day. */
                    sent: number;
                    /** @description New contacts whose turn comes on this day. */
                    waiting: number;
                } | null;
            } | null;
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ListSendableTemplatesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description Id for `templateId`.
                 */
                templateId: string;
                /** @description With `language` it can stand for `templateId`. */
                name: string;
                /** @description Language. */
                language: string;
                /** @description `MARKETING`, `UTILITY` or `AUTHENTICATION`; null where nobody has told it. */
                category: string | null;
                /** @description What the official channel says of it; null where it does not have it, as of all templates of gateways. */
                status: string | null;
                /**
                 * @description Whether the body's variables are numbers or names.
                 * @enum {string}
                 */
                parameterFormat: "POSITIONAL" | "NAMED";
                /** @description Keys of `variables` that a send fills, in the template's order. `nome` and `telefone` are taken from the contact where the call does not give them. */
                variables: string[];
                /** @description The header; null for none. */
                header: {
                    /** @description `TEXT`; or `IMAGE`, `VIDEO` or `DOCUMENT`, whose file is the variable `header`. */
                    format: string;
                    /** @description The text, with its variable; null for a file. */
                    text: string | null;
                } | null;
                /** @description The buttons, in their order: the first is `button_1`. */
                buttons: {
                    /** @description `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, or another of the channel. */
                    type: string;
                    /** @description Title of the button. */
                    text: string;
                    /** @description Address that a `URL` button opens, with its variable. */
                    url: string | null;
                    /** @description Number that a `PHONE_NUMBER` button calls. */
                    phoneNumber: string | null;
                }[];
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        GetInstanceHealthResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /**
             * @description `ok`, `late`, `held` or `disconnected`.
             * @enum {string}
             */
            status: "ok" | "late" | "held" | "disconnected";
            /**
             * Format: date-time
             * @description Time since which the oldest due message has been due; null when none is due.
             */
            oldestDueAt: string | null;
            /** @description The same as an age in seconds. */
            oldestDueSeconds: number | null;
            /**
             * Format: date-time
             * @description Time at which the next paced message is due; null when there is none.
             */
            nextDueAt: string | null;
            /** @description Number of queued messages, due or not. */
            queueDepth: number;
            /** @description Number of messages that are being sent. */
            inFlight: number;
            /** @description Number of messages whose outcome is unknown. */
            unconfirmed: number;
            /** @description Whether the send window is open now. */
            isWindowOpen: boolean;
            /**
             * Format: date-time
             * @description End of the hold after the provider rejected the whole instance; null when there is none.
             */
            heldUntil: string | null;
            /** @description Why it is held: what the operator gave, `suspect` (nothing is confirmed any more) or `provider_refused`. */
            holdReason: string | null;
            /** @description What the provider has told about the connection. */
            connection: {
                /**
                 * @description `unknown` while the provider has told nothing.
                 * @enum {string}
                 */
                state: "connected" | "disconnected" | "unknown";
                /**
                 * Format: date-time
                 * @description Since when it is lost.
                 */
                since: string | null;
                /**
                 * Format: date-time
                 * @description End of the channel's restriction; null where none is known.
                 */
                until: string | null;
                /** @description The provider's words. */
                reason: string | null;
            };
            /** @description The number's limit as the official channel names it; null while none is known. */
            channelLimit: string | null;
            /** @description How fast the instance's queue sends; null where it has no `pace`. */
            pace: {
                /** @description What the instance is set to. */
                messagesPerSecond: number;
                /** @description What holds now: half of it after the channel has refused a message for its speed. */
                current: number;
                /**
                 * Format: date-time
                 * @description Until when it is half: a minute after the last such refusal; null where it is not.
                 */
                slowedUntil: string | null;
            } | null;
            /** @description What is spent of the instance's budget this month; null where it has none. */
            budget: {
                /** @description The budget: decimal text; null where the instance has none. */
                monthlyAmount: string | null;
                /** @description Currency of the workspace's rates; null without rates, when nothing is ever spent. */
                currency: string | null;
                /** @description What the messages that were delivered this month cost: decimal text. */
                spent: string;
                /** @description What those will cost that the channel has accepted and not delivered yet; 0 without a budget. */
                underWay: string;
                /** @description Whether both together are the budget, or more: what it stops waits now. */
                reached: boolean;
            } | null;
            /** @description The limits of the instance's present day; null where it has no `protection`. */
            protection: {
                /**
                 * Format: date
                 * @description The instance's own day.
                 */
                day: string;
                /** @description Messages that may leave on this day; null for no limit. */
                limit: number | null;
                /**
                 * @description What sets the limit; null for none.
                 * @enum {string|null}
                 */
                limitedBy: "daily_limit" | "warm_up" | null;
                /** @description Messages sent on this day, immediate ones too. */
                sent: number;
                /** @description Queued messages whose turn comes on this day. */
                waiting: number;
                /** @description The same of contacts that are written to for the first time; null for no limit. */
                newContacts: {
                    /** @description New contacts a day. */
                    limit: number;
                    /** @description New contacts that were written to on this day. */
                    sent: number;
                    /** @description New contacts whose turn comes on this day. */
                    waiting: number;
                } | null;
            } | null;
            /**
             * Format: date-time
             * @description Time at which a message was last sent.
             */
            lastSuccessAt: string | null;
            /** @description The last failed or unconfirmed message; null when there is none. */
            lastFailure: {
                /**
                 * Format: date-time
                 * @description Time of the failure.
                 */
                at: string;
                /**
                 * @description `failed` or `unconfirmed`, as it was then; later events may have changed the message's status.
                 * @enum {string}
                 */
                status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
                /** @description The provider's error code. */
                code: string | null;
                /** @description The text; for media the caption, for an option list the body. */
                message: string | null;
            } | null;
        };
        CreateWorkspaceRequest: {
            /** @description Name. */
            name: string;
            /** @description E-mail address that is told what an operator must handle, such as a disabled webhook endpoint; `null` for nobody. */
            alertEmail?: string;
            /**
             * @description Where what a person says about marketing counts: at the `instance` where it was said, or at every instance of the `workspace`. Contacts, messages and queues stay apart.
             * @enum {string}
             */
            peopleScope?: "instance" | "workspace";
        };
        WorkspaceRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /** @description E-mail address that is told what an operator must handle, such as a disabled webhook endpoint; `null` for nobody. */
            alertEmail: string | null;
            /**
             * @description Where what a person says about marketing counts: at the `instance` where it was said, or at every instance of the `workspace`. Contacts, messages and queues stay apart.
             * @enum {string}
             */
            peopleScope: "instance" | "workspace";
            /** @description How far a change of `peopleScope` is; `null` where none is under way. */
            peopleScopeChange: {
                /**
                 * @description The scope that the workspace has since the change.
                 * @enum {string}
                 */
                to: "instance" | "workspace";
                /**
                 * @description `waiting` for calls under way; `collecting` what each contact has said last; `telling` the person's other contacts; `forgetting` the shared words, back to `instance`.
                 * @enum {string}
                 */
                phase: "waiting" | "collecting" | "telling" | "forgetting";
                /** @description Contacts of this phase so far; words while it is `forgetting`. */
                done: number;
                /** @description Contacts of the workspace as counted when it began; `null` before that, and while it is `forgetting`. */
                total: number | null;
                /**
                 * Format: date-time
                 * @description When the scope was changed.
                 */
                startedAt: string;
            } | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListWorkspacesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The workspace's UUID.
                 */
                workspaceId: string;
                /** @description Name. */
                name: string;
                /** @description E-mail address that is told what an operator must handle, such as a disabled webhook endpoint; `null` for nobody. */
                alertEmail: string | null;
                /**
                 * @description Where what a person says about marketing counts: at the `instance` where it was said, or at every instance of the `workspace`. Contacts, messages and queues stay apart.
                 * @enum {string}
                 */
                peopleScope: "instance" | "workspace";
                /** @description How far a change of `peopleScope` is; `null` where none is under way. */
                peopleScopeChange: {
                    /**
                     * @description The scope that the workspace has since the change.
                     * @enum {string}
                     */
                    to: "instance" | "workspace";
                    /**
                     * @description `waiting` for calls under way; `collecting` what each contact has said last; `telling` the person's other contacts; `forgetting` the shared words, back to `instance`.
                     * @enum {string}
                     */
                    phase: "waiting" | "collecting" | "telling" | "forgetting";
                    /** @description Contacts of this phase so far; words while it is `forgetting`. */
                    done: number;
                    /** @description Contacts of the workspace as counted when it began; `null` before that, and while it is `forgetting`. */
                    total: number | null;
                    /**
                     * Format: date-time
                     * @description When the scope was changed.
                     */
                    startedAt: string;
                } | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        UpdateWorkspaceRequest: {
            /** @description Name. */
            name?: string;
            /** @description E-mail address that is told what an operator must handle, such as a disabled webhook endpoint; `null` for nobody. */
            alertEmail?: string;
            /**
             * @description Where what a person says about marketing counts: at the `instance` where it was said, or at every instance of the `workspace`. Contacts, messages and queues stay apart.
             * @enum {string}
             */
            peopleScope?: "instance" | "workspace";
        };
        CreateInstanceRequest: components["schemas"]["CreateInstanceRequestWhatsappCloud"] | components["schemas"]["CreateInstanceRequestZapi"] | components["schemas"]["CreateInstanceRequestEvolution"];
        CreateInstanceRequestWhatsappCloud: {
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /**
             * @description The provider of the instance: `whatsapp_cloud` is the official channel, the others are gateways. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            provider: "whatsapp_cloud";
            /** @description Credentials and addresses of the provider; encrypted at rest, never returned. */
            providerConfig: {
                /** @description Base URL of the provider, when it differs from the public address. */
                baseUrl?: string;
                /** @description The official channel's id of the phone number; required for sending. */
                phoneNumberId?: string;
                /** @description The official channel's access token. */
                accessToken: string;
                /** @description Key that verifies `X-Hub-Signature-256` of incoming events. */
                appSecret: string;
                /** @description Token that the provider sends to verify the webhook address. */
                verifyToken: string;
                /** @description Id of the WhatsApp Business account from which templates are read. */
                wabaId?: string;
                /** @description Id of the Meta app that uploads the sample files of templates' headers; needed for nothing else. */
                appId?: string;
                /** @description Version of the Graph API, such as `v23.0`. */
                apiVersion?: string;
            };
            /** @description The phone number of the instance. */
            connectedPhone: string;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId?: string | null;
            /** @description IANA time zone of the instance. */
            timeZone: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow?: {
                /** @description Local time at which the window opens. */
                start?: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end?: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days?: number[];
                /** @description Dates on which the window stays closed. */
                holidays?: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection?: {
                /** @description Messages a day. */
                dailyLimit?: number | null;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number | null;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number | null;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: (string & (unknown & unknown)) | string;
                } | null;
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace?: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget?: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. Default: `80`. */
                warnAtPercent?: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. Default: `[]`. */
                stops?: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut?: {
                /** @description Messages that deny marketing. */
                keywords?: string[];
                /** @description Messages that grant it again. */
                resumeKeywords?: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation?: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention?: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays?: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays?: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays?: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice?: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again. Default: `"hold"`.
             * @enum {string}
             */
            onUnconfirmed?: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably. Default: `"auto"`.
             * @enum {string}
             */
            interactiveRendering?: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts?: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth?: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend?: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. Default: `18000`. */
            requestsPerMinute?: number | null;
        };
        CreateInstanceRequestZapi: {
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /**
             * @description The provider of the instance: `whatsapp_cloud` is the official channel, the others are gateways. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            provider: "zapi";
            /** @description Credentials and addresses of the provider; encrypted at rest, never returned. */
            providerConfig: {
                /** @description Base URL of the provider, when it differs from the public address. */
                baseUrl?: string;
                /** @description Z-API's id of the instance. */
                gatewayInstanceId: string;
                /** @description Z-API's token of the instance. */
                token: string;
                /** @description The account's security token (`Client-Token`), when it is enabled. */
                clientToken?: string;
                /** @description The secret in the webhook's path; at least 24 characters. */
                webhookSecret: string;
            };
            /** @description The phone number of the instance. */
            connectedPhone: string;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId?: string | null;
            /** @description IANA time zone of the instance. */
            timeZone: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow?: {
                /** @description Local time at which the window opens. */
                start?: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end?: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days?: number[];
                /** @description Dates on which the window stays closed. */
                holidays?: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection?: {
                /** @description Messages a day. */
                dailyLimit?: number | null;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number | null;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number | null;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: (string & (unknown & unknown)) | string;
                } | null;
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace?: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget?: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. Default: `80`. */
                warnAtPercent?: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. Default: `[]`. */
                stops?: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut?: {
                /** @description Messages that deny marketing. */
                keywords?: string[];
                /** @description Messages that grant it again. */
                resumeKeywords?: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation?: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention?: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays?: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays?: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays?: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice?: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again. Default: `"hold"`.
             * @enum {string}
             */
            onUnconfirmed?: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably. Default: `"auto"`.
             * @enum {string}
             */
            interactiveRendering?: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts?: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth?: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend?: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. Default: `18000`. */
            requestsPerMinute?: number | null;
        };
        CreateInstanceRequestEvolution: {
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /**
             * @description The provider of the instance: `whatsapp_cloud` is the official channel, the others are gateways. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            provider: "evolution";
            /** @description Credentials and addresses of the provider; encrypted at rest, never returned. */
            providerConfig: {
                /** @description Base URL of the provider, when it differs from the public address. */
                baseUrl: string;
                /** @description Name of the instance on the Evolution server. */
                instanceName: string;
                /** @description The server's global key, or the instance's token. */
                apiKey: string;
                /** @description The secret in the webhook's path; at least 24 characters. */
                webhookSecret: string;
            };
            /** @description The phone number of the instance. */
            connectedPhone: string;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId?: string | null;
            /** @description IANA time zone of the instance. */
            timeZone: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow?: {
                /** @description Local time at which the window opens. */
                start?: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end?: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days?: number[];
                /** @description Dates on which the window stays closed. */
                holidays?: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection?: {
                /** @description Messages a day. */
                dailyLimit?: number | null;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number | null;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number | null;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: (string & (unknown & unknown)) | string;
                } | null;
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace?: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget?: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. Default: `80`. */
                warnAtPercent?: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. Default: `[]`. */
                stops?: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut?: {
                /** @description Messages that deny marketing. */
                keywords?: string[];
                /** @description Messages that grant it again. */
                resumeKeywords?: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation?: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention?: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays?: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays?: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays?: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice?: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again. Default: `"hold"`.
             * @enum {string}
             */
            onUnconfirmed?: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably. Default: `"auto"`.
             * @enum {string}
             */
            interactiveRendering?: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts?: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth?: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend?: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. Default: `18000`. */
            requestsPerMinute?: number | null;
        };
        InstanceRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /**
             * @description The provider of the instance: `whatsapp_cloud` is the official channel, the others are gateways.
             * @enum {string}
             */
            provider: "whatsapp_cloud" | "zapi" | "evolution";
            /** @description The provider's id of the instance; null when it has none yet. */
            gatewayInstanceId: string | null;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId: string | null;
            /** @description Public name of the instance; accepted as `instanceId`. */
            embedKey: string;
            /** @description The phone number of the instance. */
            connectedPhone: string;
            /** @description IANA time zone of the instance. */
            timeZone: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow: {
                /** @description Local time at which the window opens. */
                start: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days: number[];
                /** @description Dates on which the window stays closed. */
                holidays: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection: {
                /** @description Messages a day. */
                dailyLimit?: number;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: string;
                };
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. */
                warnAtPercent: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. */
                stops: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut: {
                /** @description Messages that deny marketing. */
                keywords: string[];
                /** @description Messages that grant it again. */
                resumeKeywords: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again.
             * @enum {string}
             */
            onUnconfirmed: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably.
             * @enum {string}
             */
            interactiveRendering: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. */
            requestsPerMinute: number | null;
            /** @description How far the messages from before the number was connected are imported (coexistence of the official channel); null where the channel has told none. */
            historyImport: {
                /**
                 * @description `declined`: the business does not share its history; `error` says so.
                 * @enum {string}
                 */
                status: "running" | "complete" | "declined";
                /** @description The furthest phase: 0 the last day, 1 the last 90 days, 2 the last 180. */
                phase: number | null;
                /** @description Of the whole, in percent. */
                progress: number | null;
                /** @description Why nothing is imported. */
                error: {
                    /** @description The channel's code. */
                    code: string;
                    /** @description The channel's words. */
                    message: string;
                } | null;
                /**
                 * Format: date-time
                 * @description When the channel told it last.
                 */
                updatedAt: string;
            } | null;
            /** @description Path to which the provider sends its events, below `/functions/v1/`. */
            webhookPath: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListInstancesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /**
                 * Format: uuid
                 * @description The workspace's UUID.
                 */
                workspaceId: string;
                /** @description Name. */
                name: string;
                /**
                 * @description The provider of the instance: `whatsapp_cloud` is the official channel, the others are gateways.
                 * @enum {string}
                 */
                provider: "whatsapp_cloud" | "zapi" | "evolution";
                /** @description The provider's id of the instance; null when it has none yet. */
                gatewayInstanceId: string | null;
                /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
                businessInstanceId: string | null;
                /** @description Public name of the instance; accepted as `instanceId`. */
                embedKey: string;
                /** @description The phone number of the instance. */
                connectedPhone: string;
                /** @description IANA time zone of the instance. */
                timeZone: string;
                /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
                sendWindow: {
                    /** @description Local time at which the window opens. */
                    start: string;
                    /** @description Local time at which the window closes; `24:00` is the end of the day. */
                    end: string;
                    /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                    days: number[];
                    /** @description Dates on which the window stays closed. */
                    holidays: string[];
                };
                /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
                protection: {
                    /** @description Messages a day. */
                    dailyLimit?: number;
                    /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                    newContactsPerDay?: number;
                    /** @description Up to this many seconds are added to each interval, by chance. */
                    jitterSeconds?: number;
                    /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                    warmUp?: {
                        /** @description Messages on the first day. */
                        startPerDay: number;
                        /** @description Days until the target is reached. */
                        rampDays: number;
                        /** @description The first day of the warm-up: an instant, or a local day. */
                        startedAt: string;
                    };
                } | null;
                /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
                pace: {
                    /** @description Messages a second. */
                    messagesPerSecond: number;
                } | null;
                /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
                budget: {
                    /** @description Decimal text of the currency's unit. */
                    monthlyAmount: string;
                    /** @description At how much of it the warning is told. */
                    warnAtPercent: number;
                    /** @description What waits while it is reached: any of `marketing` and `batches`. */
                    stops: ("marketing" | "batches")[];
                } | null;
                /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
                optOut: {
                    /** @description Messages that deny marketing. */
                    keywords: string[];
                    /** @description Messages that grant it again. */
                    resumeKeywords: string[];
                    /** @description The one answer to a message that denies marketing; null for none. */
                    confirmation: string | null;
                };
                /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
                retention: {
                    /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                    messagesDays: number | null;
                    /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                    mediaDays: number | null;
                    /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                    providerEventsDays: number | null;
                };
                /**
                 * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
                 * @enum {string}
                 */
                transcribeVoice: "agent" | "always" | "never";
                /**
                 * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again.
                 * @enum {string}
                 */
                onUnconfirmed: "hold" | "retry";
                /**
                 * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably.
                 * @enum {string}
                 */
                interactiveRendering: "auto" | "native" | "text";
                /**
                 * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
                 * @enum {string}
                 */
                readReceipts: "off" | "on_reply" | "on_receive";
                /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
                freeServiceMessagesPerMonth: number;
                /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
                directSend: boolean;
                /** @description Maximum number of requests per minute of one client token to one function; null for no limit. */
                requestsPerMinute: number | null;
                /** @description How far the messages from before the number was connected are imported (coexistence of the official channel); null where the channel has told none. */
                historyImport: {
                    /**
                     * @description `declined`: the business does not share its history; `error` says so.
                     * @enum {string}
                     */
                    status: "running" | "complete" | "declined";
                    /** @description The furthest phase: 0 the last day, 1 the last 90 days, 2 the last 180. */
                    phase: number | null;
                    /** @description Of the whole, in percent. */
                    progress: number | null;
                    /** @description Why nothing is imported. */
                    error: {
                        /** @description The channel's code. */
                        code: string;
                        /** @description The channel's words. */
                        message: string;
                    } | null;
                    /**
                     * Format: date-time
                     * @description When the channel told it last.
                     */
                    updatedAt: string;
                } | null;
                /** @description Path to which the provider sends its events, below `/functions/v1/`. */
                webhookPath: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        UpdateInstanceRequest: components["schemas"]["UpdateInstanceRequestWhatsappCloud"] | components["schemas"]["UpdateInstanceRequestZapi"] | components["schemas"]["UpdateInstanceRequestEvolution"];
        /** whatsapp_cloud */
        UpdateInstanceRequestWhatsappCloud: {
            /** @description Name. */
            name?: string;
            /** @description Credentials and addresses of the provider; encrypted at rest, never returned. */
            providerConfig?: {
                /** @description Base URL of the provider, when it differs from the public address. */
                baseUrl?: string;
                /** @description The official channel's id of the phone number; required for sending. */
                phoneNumberId?: string;
                /** @description The official channel's access token. */
                accessToken: string;
                /** @description Key that verifies `X-Hub-Signature-256` of incoming events. */
                appSecret: string;
                /** @description Token that the provider sends to verify the webhook address. */
                verifyToken: string;
                /** @description Id of the WhatsApp Business account from which templates are read. */
                wabaId?: string;
                /** @description Id of the Meta app that uploads the sample files of templates' headers; needed for nothing else. */
                appId?: string;
                /** @description Version of the Graph API, such as `v23.0`. */
                apiVersion?: string;
            };
            /** @description The phone number of the instance. */
            connectedPhone?: string;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId?: string | null;
            /** @description IANA time zone of the instance. */
            timeZone?: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow?: {
                /** @description Local time at which the window opens. */
                start?: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end?: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days?: number[];
                /** @description Dates on which the window stays closed. */
                holidays?: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection?: {
                /** @description Messages a day. */
                dailyLimit?: number | null;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number | null;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number | null;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: (string & (unknown & unknown)) | string;
                } | null;
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace?: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget?: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. Default: `80`. */
                warnAtPercent?: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. Default: `[]`. */
                stops?: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut?: {
                /** @description Messages that deny marketing. */
                keywords?: string[];
                /** @description Messages that grant it again. */
                resumeKeywords?: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation?: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention?: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays?: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays?: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays?: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice?: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again.
             * @enum {string}
             */
            onUnconfirmed?: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably.
             * @enum {string}
             */
            interactiveRendering?: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts?: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth?: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend?: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. */
            requestsPerMinute?: number | null;
        };
        /** zapi */
        UpdateInstanceRequestZapi: {
            /** @description Name. */
            name?: string;
            /** @description Credentials and addresses of the provider; encrypted at rest, never returned. */
            providerConfig?: {
                /** @description Base URL of the provider, when it differs from the public address. */
                baseUrl?: string;
                /** @description Z-API's id of the instance. */
                gatewayInstanceId: string;
                /** @description Z-API's token of the instance. */
                token: string;
                /** @description The account's security token (`Client-Token`), when it is enabled. */
                clientToken?: string;
                /** @description The secret in the webhook's path; at least 24 characters. */
                webhookSecret: string;
            };
            /** @description The phone number of the instance. */
            connectedPhone?: string;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId?: string | null;
            /** @description IANA time zone of the instance. */
            timeZone?: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow?: {
                /** @description Local time at which the window opens. */
                start?: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end?: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days?: number[];
                /** @description Dates on which the window stays closed. */
                holidays?: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection?: {
                /** @description Messages a day. */
                dailyLimit?: number | null;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number | null;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number | null;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: (string & (unknown & unknown)) | string;
                } | null;
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace?: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget?: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. Default: `80`. */
                warnAtPercent?: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. Default: `[]`. */
                stops?: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut?: {
                /** @description Messages that deny marketing. */
                keywords?: string[];
                /** @description Messages that grant it again. */
                resumeKeywords?: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation?: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention?: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays?: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays?: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays?: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice?: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again.
             * @enum {string}
             */
            onUnconfirmed?: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably.
             * @enum {string}
             */
            interactiveRendering?: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts?: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth?: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend?: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. */
            requestsPerMinute?: number | null;
        };
        /** evolution */
        UpdateInstanceRequestEvolution: {
            /** @description Name. */
            name?: string;
            /** @description Credentials and addresses of the provider; encrypted at rest, never returned. */
            providerConfig?: {
                /** @description Base URL of the provider, when it differs from the public address. */
                baseUrl: string;
                /** @description Name of the instance on the Evolution server. */
                instanceName: string;
                /** @description The server's global key, or the instance's token. */
                apiKey: string;
                /** @description The secret in the webhook's path; at least 24 characters. */
                webhookSecret: string;
            };
            /** @description The phone number of the instance. */
            connectedPhone?: string;
            /** @description Name of the instance in the caller's system; accepted as `instanceId`. */
            businessInstanceId?: string | null;
            /** @description IANA time zone of the instance. */
            timeZone?: string;
            /** @description Days and hours in which the queue sends. `days` are weekdays, from 1 (Monday) to 7 (Sunday). */
            sendWindow?: {
                /** @description Local time at which the window opens. */
                start?: string;
                /** @description Local time at which the window closes; `24:00` is the end of the day. */
                end?: string;
                /** @description Weekdays on which the window opens: 1 (Monday) to 7 (Sunday). */
                days?: number[];
                /** @description Dates on which the window stays closed. */
                holidays?: string[];
            };
            /** @description How much a number may do on a day, by the instance's own days; null for no limit. What exceeds a limit leaves on a later day. Immediate sends count and are never held. */
            protection?: {
                /** @description Messages a day. */
                dailyLimit?: number | null;
                /** @description Contacts a day to whom nothing was ever sent and who never wrote. Known contacts pass those that wait for another day. */
                newContactsPerDay?: number | null;
                /** @description Up to this many seconds are added to each interval, by chance. */
                jitterSeconds?: number | null;
                /** @description Limits that rise day by day, for a new number: day n from `startedAt` allows `startPerDay` + (target - `startPerDay`) * n / `rampDays`, rounded down. The target is `dailyLimit`, or 1,000. */
                warmUp?: {
                    /** @description Messages on the first day. */
                    startPerDay: number;
                    /** @description Days until the target is reached. */
                    rampDays: number;
                    /** @description The first day of the warm-up: an instant, or a local day. */
                    startedAt: (string & (unknown & unknown)) | string;
                } | null;
            } | null;
            /** @description How fast the queue of an official instance sends what has no `intervalSeconds` of its own, batches too: so many messages a second, many of them at once, in the send window and under `protection`'s limits of the day. Null for none (the default): the interval of 30 seconds. Must be null for a gateway. A refusal for speed halves it for a minute, see `messages-api/health`. */
            pace?: {
                /** @description Messages a second. */
                messagesPerSecond: number;
            } | null;
            /** @description What the messages of a calendar month may cost, by the instance's time zone and in the currency of the workspace's rates; null for no budget (the default). `budget.warning` and `budget.reached` and an e-mail to the workspace's `alertEmail` tell once a month and amount that `warnAtPercent` (default: 80) or all of it is spent or under way. Then what `stops` names waits with `heldBy: "budget"` until the month ends or the budget is changed: `marketing`, queued and scheduled messages of that purpose; `batches`, messages of batches that are not utility or authentication. Nothing else is held. See `messages-api/usage/budget`. */
            budget?: {
                /** @description Decimal text of the currency's unit. */
                monthlyAmount: string;
                /** @description At how much of it the warning is told. Default: `80`. */
                warnAtPercent?: number;
                /** @description What waits while it is reached: any of `marketing` and `batches`. Default: `[]`. */
                stops?: ("marketing" | "batches")[];
            } | null;
            /** @description How a contact decides about marketing by a message: `keywords` deny it, `resumeKeywords` grant it. The whole message counts, without regard to case, accents, punctuation around it and marks that nobody sees. The AI agent neither answers nor sees it. */
            optOut?: {
                /** @description Messages that deny marketing. */
                keywords?: string[];
                /** @description Messages that grant it again. */
                resumeKeywords?: string[];
                /** @description The one answer to a message that denies marketing; null for none. */
                confirmation?: string | null;
            };
            /** @description For how many days the instance's data are kept; null for ever. What is older is deleted by the dispatcher. */
            retention?: {
                /** @description Messages, sent and received, with their files. Below 30 also the events, which are kept for 30 days otherwise. Null by default. */
                messagesDays?: number | null;
                /** @description Files of messages; the messages stay, with `mediaStatus` `expired`. Null by default. */
                mediaDays?: number | null;
                /** @description Payloads of the provider's webhooks, as received. 30 by default. */
                providerEventsDays?: number | null;
            };
            /**
             * @description Which received voice messages are written down by the AI endpoint, where it offers `/audio/transcriptions`: `agent`, those that an active agent will answer (the default); `always`; `never`. The words stand in the history, and the agent reads them. `true` is taken as `always`, `false` as `never`.
             * @enum {string}
             */
            transcribeVoice?: "agent" | "always" | "never";
            /**
             * @description What happens to a message whose outcome stays unknown: `hold` keeps it, `retry` sends it again.
             * @enum {string}
             */
            onUnconfirmed?: "hold" | "retry";
            /**
             * @description How buttons, lists and link buttons go out where a call does not say: `native`, as the channel's own; `text`, as numbered text, whose numbers and titles choose when they are typed; `auto` (the default), native where the channel shows it dependably.
             * @enum {string}
             */
            interactiveRendering?: "auto" | "native" | "text";
            /**
             * @description When received messages are marked as read on the channel without a call: `off`, never (the default); `on_reply`, when a message to the person was sent, batches left out; `on_receive`, when they arrive, groups left out. Unless it is `off`, the person sees that the AI agent is typing while it thinks, where the channel can show it.
             * @enum {string}
             */
            readReceipts?: "off" | "on_reply" | "on_receive";
            /** @description How many service messages of a month in UTC the official channel delivers for nothing: they are estimated as free, in the order of its instants. What a free entry point made free does not count. Default: 1000. */
            freeServiceMessagesPerMonth?: number;
            /** @description Whether the account may send utility messages outside the conversation window without a template (Direct Send), which the official channel opens for some: only then is the rung `directSend` of `outsideWindow` taken. Default: false. */
            directSend?: boolean;
            /** @description Maximum number of requests per minute of one client token to one function; null for no limit. */
            requestsPerMinute?: number | null;
        };
        CreateOperatorRequest: {
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /** @description E-mail address. */
            email: string;
        };
        OperatorRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The operator's UUID.
             */
            operatorId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /** @description E-mail address. */
            email: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListOperatorsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The operator's UUID.
                 */
                operatorId: string;
                /**
                 * Format: uuid
                 * @description The workspace's UUID.
                 */
                workspaceId: string;
                /** @description Name. */
                name: string;
                /** @description E-mail address. */
                email: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        UpdateOperatorRequest: {
            /** @description Name. */
            name?: string;
            /** @description E-mail address. */
            email?: string;
        };
        CreateDepartmentRequest: {
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
        };
        DepartmentRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The department's UUID; when omitted, the department does not change.
             */
            departmentId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /** @description Name. */
            name: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListDepartmentsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string;
                /**
                 * Format: uuid
                 * @description The workspace's UUID.
                 */
                workspaceId: string;
                /** @description Name. */
                name: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        UpdateDepartmentRequest: {
            /** @description Name. */
            name?: string;
        };
        CreateAgentRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Name. */
            name: string;
            /** @description The agent's instructions; `{{key}}` is replaced by that key of `externalContext`. */
            instructions: string;
            /** @description The model, as the chat completions endpoint names it. */
            model: string;
            /** @description Whether the agent responds to contacts. Default: `true`. */
            isActive?: boolean;
            /** @description An answer is that many messages at most, 1 to 10, split at blank lines; the rest stays in the last one. Default: 1. The official channel bills each of them. Default: `1`. */
            maxMessagesPerAnswer?: number;
            /** @description The agent answers what was written less than so many seconds ago, by the channel's instant; what comes later is stored and told. 1 to 2,592,000 (30 days). Default: 21,600 (six hours). Default: `21600`. */
            answersWithin?: number;
        };
        AgentRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The AI agent's UUID.
             */
            agentId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Name. */
            name: string;
            /** @description The agent's instructions; `{{key}}` is replaced by that key of `externalContext`. */
            instructions: string;
            /** @description The model, as the chat completions endpoint names it. */
            model: string;
            /** @description Whether the agent responds to contacts. */
            isActive: boolean;
            /** @description An answer is that many messages at most, 1 to 10, split at blank lines; the rest stays in the last one. Default: 1. The official channel bills each of them. */
            maxMessagesPerAnswer: number;
            /** @description The agent answers what was written less than so many seconds ago, by the channel's instant; what comes later is stored and told. 1 to 2,592,000 (30 days). Default: 21,600 (six hours). */
            answersWithin: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListAgentsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The AI agent's UUID.
                 */
                agentId: string;
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description Name. */
                name: string;
                /** @description The agent's instructions; `{{key}}` is replaced by that key of `externalContext`. */
                instructions: string;
                /** @description The model, as the chat completions endpoint names it. */
                model: string;
                /** @description Whether the agent responds to contacts. */
                isActive: boolean;
                /** @description An answer is that many messages at most, 1 to 10, split at blank lines; the rest stays in the last one. Default: 1. The official channel bills each of them. */
                maxMessagesPerAnswer: number;
                /** @description The agent answers what was written less than so many seconds ago, by the channel's instant; what comes later is stored and told. 1 to 2,592,000 (30 days). Default: 21,600 (six hours). */
                answersWithin: number;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time of the last change.
                 */
                updatedAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        UpdateAgentRequest: {
            /** @description Name. */
            name?: string;
            /** @description The agent's instructions; `{{key}}` is replaced by that key of `externalContext`. */
            instructions?: string;
            /** @description The model, as the chat completions endpoint names it. */
            model?: string;
            /** @description Whether the agent responds to contacts. */
            isActive?: boolean;
            /** @description An answer is that many messages at most, 1 to 10, split at blank lines; the rest stays in the last one. Default: 1. The official channel bills each of them. */
            maxMessagesPerAnswer?: number;
            /** @description The agent answers what was written less than so many seconds ago, by the channel's instant; what comes later is stored and told. 1 to 2,592,000 (30 days). Default: 21,600 (six hours). */
            answersWithin?: number;
        };
        CreateTemplateRequest: {
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId?: string;
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string | null;
            /** @description Name. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components: ({
                /**
                 * @description Type of the component or button.
                 * @enum {string}
                 */
                type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS";
                /**
                 * @description Format of a header.
                 * @enum {string}
                 */
                format?: "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
                /** @description The text, with variables. */
                text?: string;
                /** @description At most 10 buttons. */
                buttons?: ({
                    /** @description Type of the component or button. */
                    type: string;
                    /** @description The text, with variables. */
                    text?: string;
                    /** @description URL that the button opens. */
                    url?: string;
                    /** @description Phone number that the button calls. */
                    phone_number?: string;
                } & {
                    [key: string]: unknown;
                })[];
                /** @description Sample values, for the official channel's review. */
                example?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            /**
             * @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider.
             * @enum {string|null}
             */
            category?: "MARKETING" | "UTILITY" | "AUTHENTICATION" | null;
            /** @description Status at the official channel; only an `APPROVED` template can be sent. */
            providerStatus?: string | null;
            /** @description The official channel's id of the template, set when the template is synchronized. */
            providerTemplateId?: string | null;
            /** @description Submits the template to its instance's provider. */
            submit?: boolean;
        };
        CreateTemplateResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The template's UUID.
             */
            templateId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string | null;
            /** @description Name. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components: ({
                /** @description Type of the component or button. */
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider. */
            category: string | null;
            /** @description A change of category that the official channel has announced: its messages cost by the new one. Null for none. */
            categoryChange: {
                /** @description The category that it will have. */
                to: string;
                /**
                 * Format: date-time
                 * @description When.
                 */
                at: string;
            } | null;
            /** @description The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells. */
            quality: string | null;
            /** @description Why the official channel has rejected or paused it, in its word; null for none. */
            rejectedReason: string | null;
            /**
             * Format: date-time
             * @description When the official channel will disable it, as it announced; null for no plan.
             */
            disablesAt: string | null;
            /** @description Status at the official channel; only an `APPROVED` template can be sent. */
            providerStatus: string | null;
            /** @description The official channel's id of the template, set when the template is synchronized. */
            providerTemplateId: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Whether the channel has given it another category than the one asked for; of a submission. */
            categoryChanged?: boolean;
            /** @description How many templates the account has and may have, as the channel tells; of a submission. */
            limit?: {
                /** @description Templates that the account has. */
                used: number;
                /** @description Templates that it may have. */
                total: number;
            } | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListTemplatesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The template's UUID.
                 */
                templateId: string;
                /**
                 * Format: uuid
                 * @description The workspace's UUID.
                 */
                workspaceId: string;
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string | null;
                /** @description Name. */
                name: string;
                /** @description Language of the template, such as `pt_BR`. */
                language: string;
                /**
                 * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
                 * @enum {string}
                 */
                parameterFormat: "POSITIONAL" | "NAMED";
                /** @description Header, body, footer and buttons, in the official channel's shape. */
                components: ({
                    /** @description Type of the component or button. */
                    type: string;
                } & {
                    [key: string]: unknown;
                })[];
                /** @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider. */
                category: string | null;
                /** @description A change of category that the official channel has announced: its messages cost by the new one. Null for none. */
                categoryChange: {
                    /** @description The category that it will have. */
                    to: string;
                    /**
                     * Format: date-time
                     * @description When.
                     */
                    at: string;
                } | null;
                /** @description The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells. */
                quality: string | null;
                /** @description Why the official channel has rejected or paused it, in its word; null for none. */
                rejectedReason: string | null;
                /**
                 * Format: date-time
                 * @description When the official channel will disable it, as it announced; null for no plan.
                 */
                disablesAt: string | null;
                /** @description Status at the official channel; only an `APPROVED` template can be sent. */
                providerStatus: string | null;
                /** @description The official channel's id of the template, set when the template is synchronized. */
                providerTemplateId: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time of the last change.
                 */
                updatedAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        TemplateRecord: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The template's UUID.
             */
            templateId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string | null;
            /** @description Name. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components: ({
                /** @description Type of the component or button. */
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider. */
            category: string | null;
            /** @description A change of category that the official channel has announced: its messages cost by the new one. Null for none. */
            categoryChange: {
                /** @description The category that it will have. */
                to: string;
                /**
                 * Format: date-time
                 * @description When.
                 */
                at: string;
            } | null;
            /** @description The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells. */
            quality: string | null;
            /** @description Why the official channel has rejected or paused it, in its word; null for none. */
            rejectedReason: string | null;
            /**
             * Format: date-time
             * @description When the official channel will disable it, as it announced; null for no plan.
             */
            disablesAt: string | null;
            /** @description Status at the official channel; only an `APPROVED` template can be sent. */
            providerStatus: string | null;
            /** @description The official channel's id of the template, set when the template is synchronized. */
            providerTemplateId: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        UpdateTemplateRequest: {
            /** @description Name. */
            name?: string;
            /** @description Language of the template, such as `pt_BR`. */
            language?: string;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat?: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components?: ({
                /**
                 * @description Type of the component or button.
                 * @enum {string}
                 */
                type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS";
                /**
                 * @description Format of a header.
                 * @enum {string}
                 */
                format?: "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
                /** @description The text, with variables. */
                text?: string;
                /** @description At most 10 buttons. */
                buttons?: ({
                    /** @description Type of the component or button. */
                    type: string;
                    /** @description The text, with variables. */
                    text?: string;
                    /** @description URL that the button opens. */
                    url?: string;
                    /** @description Phone number that the button calls. */
                    phone_number?: string;
                } & {
                    [key: string]: unknown;
                })[];
                /** @description Sample values, for the official channel's review. */
                example?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
            /**
             * @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider.
             * @enum {string|null}
             */
            category?: "MARKETING" | "UTILITY" | "AUTHENTICATION" | null;
            /** @description Status at the official channel; only an `APPROVED` template can be sent. */
            providerStatus?: string | null;
            /** @description The official channel's id of the template, set when the template is synchronized. */
            providerTemplateId?: string | null;
        };
        ListOutboxResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The entry's UUID.
                 */
                outboxId: string;
                /**
                 * Format: uuid
                 * @description The workspace's UUID.
                 */
                workspaceId: string;
                /**
                 * Format: uuid
                 * @description Instance of the entry; null when it has none.
                 */
                instanceId: string | null;
                /** @description Type of the entry: `assignment_email` notifies an operator, `agent_reply` makes the AI agent reply. */
                kind: string;
                /**
                 * @description `pending` is still to be processed; `dead` failed for good.
                 * @enum {string}
                 */
                status: "pending" | "done" | "dead";
                /** @description Number of attempts. */
                attempts: number;
                /** @description Error of the last failed attempt. */
                lastError: string | null;
                /**
                 * Format: date-time
                 * @description Time of the next attempt.
                 */
                runAt: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time at which the entry was processed or failed for good.
                 */
                settledAt: string | null;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        CreateTokenRequest: {
            /** @description Purpose of the token. */
            label?: string | null;
            /** @description Time at which the token expires; null for never. */
            expiresAt?: ((string & (unknown & unknown)) | null) & (unknown & unknown);
            /** @description What the token may be used for. */
            scopes?: ("send" | "contacts" | "conversations" | "history" | "events" | "media" | "batches" | "erase")[] | null;
            /** @description What an AI client may send by the token, through the function mcp. */
            mcp?: {
                /**
                 * @description `known`: only people who have a contact here that no call of mcp has made; `any`: anybody. Default: `"known"`.
                 * @enum {string}
                 */
                recipients?: "known" | "any";
                /** @description Sends in any 60 minutes; a repeated call counts once. Default: `30`. */
                maxSendsPerHour?: number;
            };
        };
        CreateTokenResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The token's UUID.
             */
            tokenId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Purpose of the token. */
            label: string | null;
            /** @description What the token may be used for. */
            scopes: ("send" | "contacts" | "conversations" | "history" | "events" | "media" | "batches" | "erase")[];
            /** @description What an AI client may send by the token, through the function mcp. */
            mcp: {
                /**
                 * @description `known`: only people who have a contact here that no call of mcp has made; `any`: anybody.
                 * @enum {string}
                 */
                recipients: "known" | "any";
                /** @description Sends in any 60 minutes; a repeated call counts once. */
                maxSendsPerHour: number;
            };
            /**
             * Format: date-time
             * @description Time at which the token expires; null for never.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null when the token has not been used.
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the token was revoked; null for an active token.
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description The token; no other response contains it. */
            token: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListTokensResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The token's UUID.
                 */
                tokenId: string;
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description Purpose of the token. */
                label: string | null;
                /** @description What the token may be used for. */
                scopes: ("send" | "contacts" | "conversations" | "history" | "events" | "media" | "batches" | "erase")[];
                /** @description What an AI client may send by the token, through the function mcp. */
                mcp: {
                    /**
                     * @description `known`: only people who have a contact here that no call of mcp has made; `any`: anybody.
                     * @enum {string}
                     */
                    recipients: "known" | "any";
                    /** @description Sends in any 60 minutes; a repeated call counts once. */
                    maxSendsPerHour: number;
                };
                /**
                 * Format: date-time
                 * @description Time at which the token expires; null for never.
                 */
                expiresAt: string | null;
                /**
                 * Format: date-time
                 * @description Time of the last use, to the minute; null when the token has not been used.
                 */
                lastUsedAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the token was revoked; null for an active token.
                 */
                revokedAt: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        GetTokenResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The token's UUID.
             */
            tokenId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Purpose of the token. */
            label: string | null;
            /** @description What the token may be used for. */
            scopes: ("send" | "contacts" | "conversations" | "history" | "events" | "media" | "batches" | "erase")[];
            /** @description What an AI client may send by the token, through the function mcp. */
            mcp: {
                /**
                 * @description `known`: only people who have a contact here that no call of mcp has made; `any`: anybody.
                 * @enum {string}
                 */
                recipients: "known" | "any";
                /** @description Sends in any 60 minutes; a repeated call counts once. */
                maxSendsPerHour: number;
            };
            /**
             * Format: date-time
             * @description Time at which the token expires; null for never.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null when the token has not been used.
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the token was revoked; null for an active token.
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
        };
        RevokeTokenResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The token's UUID.
             */
            tokenId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Purpose of the token. */
            label: string | null;
            /** @description What the token may be used for. */
            scopes: ("send" | "contacts" | "conversations" | "history" | "events" | "media" | "batches" | "erase")[];
            /** @description What an AI client may send by the token, through the function mcp. */
            mcp: {
                /**
                 * @description `known`: only people who have a contact here that no call of mcp has made; `any`: anybody.
                 * @enum {string}
                 */
                recipients: "known" | "any";
                /** @description Sends in any 60 minutes; a repeated call counts once. */
                maxSendsPerHour: number;
            };
            /**
             * Format: date-time
             * @description Time at which the token expires; null for never.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description Time of the last use, to the minute; null when the token has not been used.
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Time at which the token was revoked; null for an active token.
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
        };
        ValidateTemplateRequest: {
            /** @description Instance whose account would get the template: what is known of its templates counts too. */
            instanceId?: string | null;
            /** @description Name. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /**
             * @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider.
             * @enum {string|null}
             */
            category?: "MARKETING" | "UTILITY" | "AUTHENTICATION" | null;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components: ({
                /**
                 * @description Type of the component or button.
                 * @enum {string}
                 */
                type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS";
                /**
                 * @description Format of a header.
                 * @enum {string}
                 */
                format?: "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
                /** @description The text, with variables. */
                text?: string;
                /** @description At most 10 buttons. */
                buttons?: ({
                    /** @description Type of the component or button. */
                    type: string;
                    /** @description The text, with variables. */
                    text?: string;
                    /** @description URL that the button opens. */
                    url?: string;
                    /** @description Phone number that the button calls. */
                    phone_number?: string;
                } & {
                    [key: string]: unknown;
                })[];
                /** @description Sample values, for the official channel's review. */
                example?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            })[];
        };
        ValidateTemplateResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Whether there are no issues. */
            valid: boolean;
            /** @description Everything that the channel would refuse. */
            issues: {
                /** @description Place in the template. */
                path: string;
                /** @description What is wrong. */
                message: string;
                /** @description Name of the broken rule; docs/templates.md lists them. */
                rule: string;
                /** @description `error_subcode` of Meta's refusal; null where Meta documents none. */
                code: number | null;
            }[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SubmitTemplateRequest: {
            /** @description Instance whose account the template belongs to; needed where it is the workspace's. */
            instanceId?: string;
        };
        SubmitTemplateResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The template's UUID.
             */
            templateId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /**
             * Format: uuid
             * @description Instance whose account the template belongs to; needed where it is the workspace's.
             */
            instanceId: string | null;
            /** @description Name. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components: ({
                /** @description Type of the component or button. */
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider. */
            category: string | null;
            /** @description A change of category that the official channel has announced: its messages cost by the new one. Null for none. */
            categoryChange: {
                /** @description The category that it will have. */
                to: string;
                /**
                 * Format: date-time
                 * @description When.
                 */
                at: string;
            } | null;
            /** @description The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells. */
            quality: string | null;
            /** @description Why the official channel has rejected or paused it, in its word; null for none. */
            rejectedReason: string | null;
            /**
             * Format: date-time
             * @description When the official channel will disable it, as it announced; null for no plan.
             */
            disablesAt: string | null;
            /** @description Status at the official channel; only an `APPROVED` template can be sent. */
            providerStatus: string | null;
            /** @description The official channel's id of the template, set when the template is synchronized. */
            providerTemplateId: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Whether the channel has given it another category than the one asked for. */
            categoryChanged: boolean;
            /** @description How many templates the account has and may have, as the channel tells; null where it does not. */
            limit: {
                /** @description Templates that the account has. */
                used: number;
                /** @description Templates that it may have. */
                total: number;
            } | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        DeleteTemplateResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The template's UUID.
             */
            templateId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /**
             * Format: uuid
             * @description Instance whose account the template belongs to; needed where it is the workspace's.
             */
            instanceId: string | null;
            /** @description Name. */
            name: string;
            /** @description Language of the template, such as `pt_BR`. */
            language: string;
            /**
             * @description `POSITIONAL` for `{{1}}`, `{{2}}`; `NAMED` for `{{name}}`.
             * @enum {string}
             */
            parameterFormat: "POSITIONAL" | "NAMED";
            /** @description Header, body, footer and buttons, in the official channel's shape. */
            components: ({
                /** @description Type of the component or button. */
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description What the template is for: its messages have this `purpose`; null where nobody has told it. Synchronising takes it from the provider. */
            category: string | null;
            /** @description A change of category that the official channel has announced: its messages cost by the new one. Null for none. */
            categoryChange: {
                /** @description The category that it will have. */
                to: string;
                /**
                 * Format: date-time
                 * @description When.
                 */
                at: string;
            } | null;
            /** @description The official channel's rating: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`; null until it tells. */
            quality: string | null;
            /** @description Why the official channel has rejected or paused it, in its word; null for none. */
            rejectedReason: string | null;
            /**
             * Format: date-time
             * @description When the official channel will disable it, as it announced; null for no plan.
             */
            disablesAt: string | null;
            /** @description Status at the official channel; only an `APPROVED` template can be sent. */
            providerStatus: string | null;
            /** @description The official channel's id of the template, set when the template is synchronized. */
            providerTemplateId: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
        };
        SyncTemplatesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Number of templates that were added. */
            created: number;
            /** @description Number of templates that were updated. */
            updated: number;
            /** @description Number of templates without a change. */
            unchanged: number;
            /** @description Number of templates that the provider no longer lists. */
            deleted: number;
            /** @description How many templates the account has and may have, as the provider tells; null where it does not. */
            limit: {
                /** @description Templates that the account has. */
                used: number;
                /** @description Templates that it may have. */
                total: number;
            } | null;
            /** @description The templates with their changes. */
            items: {
                /**
                 * Format: uuid
                 * @description The template's UUID.
                 */
                templateId: string;
                /** @description Name. */
                name: string;
                /** @description Language of the template, such as `pt_BR`. */
                language: string;
                /** @description Status at the official channel; only an `APPROVED` template can be sent. */
                providerStatus: string;
                /** @description The official channel's id of the template, set when the template is synchronized. */
                providerTemplateId: string;
                /**
                 * @description Change of the template.
                 * @enum {string}
                 */
                change: "created" | "updated" | "unchanged" | "deleted";
            }[];
        };
        RetryOutboxResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The entry's UUID.
             */
            outboxId: string;
            /**
             * Format: uuid
             * @description The workspace's UUID.
             */
            workspaceId: string;
            /**
             * Format: uuid
             * @description Instance of the entry; null when it has none.
             */
            instanceId: string | null;
            /** @description Type of the entry: `assignment_email` notifies an operator, `agent_reply` makes the AI agent reply. */
            kind: string;
            /**
             * @description `pending` is still to be processed; `dead` failed for good.
             * @enum {string}
             */
            status: "pending" | "done" | "dead";
            /** @description Number of attempts. */
            attempts: number;
            /** @description Error of the last failed attempt. */
            lastError: string | null;
            /**
             * Format: date-time
             * @description Time of the next attempt.
             */
            runAt: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time at which the entry was processed or failed for good.
             */
            settledAt: string | null;
        };
        HoldQueueRequest: {
            /** @description The instance; every instance when absent. */
            instanceId?: string;
            /** @description End of the hold. Absent: it lasts until it is released. */
            until?: string & (unknown & unknown);
            /** @description Note for the people who find the hold. */
            reason?: string;
        };
        HoldQueueResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of instances that the call held or released. */
            instances: number;
            /** @description Number of messages that were claimed before the hold and may still leave. */
            inFlight: number;
            /**
             * Format: date-time
             * @description End of the hold; null: it lasts until it is released.
             */
            heldUntil: string | null;
            /** @description Note for the people who find the hold. */
            reason: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListQueueHoldsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description Name of the instance. */
                name: string;
                /**
                 * Format: date-time
                 * @description Start of the hold.
                 */
                heldAt: string;
                /**
                 * Format: date-time
                 * @description End of the hold; null: it lasts until it is released.
                 */
                heldUntil: string | null;
                /** @description Note for the people who find the hold. */
                reason: string | null;
                /** @description Number of messages that wait in the queue. */
                waiting: number;
                /** @description Number of messages that were claimed before the hold and may still leave. */
                inFlight: number;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ListMayHaveLeftResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: date-time
             * @description The instant of the dump: when `pg_dump` had ended, or any later instant before the restored project accepted requests.
             */
            since: string;
            /**
             * Format: date-time
             * @description When the database that was dumped stopped sending, at most now. Default: now.
             */
            until: string;
            /** @description Number of messages that may have left. */
            total: number;
            /** @description Number of messages in the queue that were accepted after `since`, and are not listed. Above 0 before the project is opened, `since` is too early. */
            acceptedSince: number;
            /** @description Counts of each instance concerned. */
            instances: {
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description Name of the instance. */
                name: string;
                /** @description Messages that wait and were due by `until`. */
                waiting: number;
                /** @description Messages that a process was sending when the dump was made. */
                inFlight: number;
                /** @description Messages in doubt. */
                unconfirmed: number;
                /** @description E-mails of the outbox. */
                emails: number;
                /** @description Replies of the AI agent that were promised. */
                agentReplies: number;
            }[];
            /** @description The messages. */
            items: {
                /**
                 * Format: uuid
                 * @description The message's UUID in this service.
                 */
                messageId: string;
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description Type of the message. */
                messageType: string;
                /**
                 * @description `waiting`: it leaves when the queue is released. `in_flight`: it becomes `unconfirmed` when its lease is over. `unconfirmed`: it is in doubt.
                 * @enum {string}
                 */
                state: "waiting" | "in_flight" | "unconfirmed";
                /**
                 * Format: date-time
                 * @description When it was due; of a message in doubt, since when it is.
                 */
                dueAt: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SettleMayHaveLeftRequest: {
            /**
             * @description What becomes of the messages.
             * @enum {string}
             */
            action: "cancel" | "keep" | "unconfirmed";
            /** @description The instant of the dump: when `pg_dump` had ended, or any later instant before the restored project accepted requests. */
            since: string & (unknown & unknown);
            /** @description When the database that was dumped stopped sending, at most now. Default: now. */
            until?: string & (unknown & unknown);
            /** @description The instance; every instance when absent. */
            instanceId?: string;
        };
        SettleMayHaveLeftResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of messages that are recorded as `unconfirmed`. */
            unconfirmed: number;
            /** @description Number of messages that were canceled. */
            canceled: number;
            /** @description Number of entries of the outbox that were given up. */
            outboxRows: number;
            /** @description Number of messages and entries that the action has still to settle. */
            remaining: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ReleaseQueueRequest: {
            /** @description The instance; every instance when absent. */
            instanceId?: string;
        };
        ReleaseQueueResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of instances that the call held or released. */
            instances: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ReplaceRatesRequest: {
            /**
             * Format: uuid
             * @description The workspace whose costs are estimated by these rates.
             */
            workspaceId: string;
            /** @description Currency of all amounts; null while there are no rates. */
            currency: string;
            /** @description Which phones each rate is for. */
            markets: {
                /** @description Name of the market, as the rates spell it. */
                name: string;
                /** @description First digits of the phones of the market: the longest one of a phone wins. None: all phones that no other market has. */
                callingCodes: string[];
            }[];
            /** @description What one delivered message costs. */
            rates: {
                /** @description Name of a market. */
                market: string;
                /** @description Category as the channel bills it: `marketing`, `utility`, `authentication`, `service`. */
                category: string;
                /** @description Decimal text of the currency's unit, with at most ten decimals. */
                amount: string;
                /**
                 * Format: date
                 * @description From midnight of this day in UTC, until the next rate of the market and category.
                 */
                effectiveFrom: string;
            }[];
            /** @description Count the differences, and change nothing. */
            dryRun?: boolean;
        };
        ReplaceRatesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of rates that the workspace did not have. */
            added: number;
            /** @description Number of rates that it has no more. */
            removed: number;
            /** @description Number of rates whose amount, currency or calling codes are others. */
            changed: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        GetRatesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The workspace whose costs are estimated by these rates.
             */
            workspaceId: string;
            /** @description Currency of all amounts; null while there are no rates. */
            currency: string | null;
            /** @description Which phones each rate is for. */
            markets: {
                /** @description Name of the market, as the rates spell it. */
                name: string;
                /** @description First digits of the phones of the market: the longest one of a phone wins. None: all phones that no other market has. */
                callingCodes: string[];
            }[];
            /** @description What one delivered message costs. */
            rates: {
                /** @description Name of a market. */
                market: string;
                /** @description Category as the channel bills it: `marketing`, `utility`, `authentication`, `service`. */
                category: string;
                /** @description Decimal text of the currency's unit, with at most ten decimals. */
                amount: string;
                /**
                 * Format: date
                 * @description From midnight of this day in UTC, until the next rate of the market and category.
                 */
                effectiveFrom: string;
            }[];
        };
        GetInstanceUsageResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Currency of the workspace's rates; null without rates. */
            currency: string | null;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: date
                 * @description The day that it sums up; with `daily` alone.
                 */
                day?: string;
                /** @description The day, the month (`2026-11`), the category, the id of the agent and so on; null for messages without one. */
                key: string | null;
                /** @description Messages that were sent, on the day of sending. By category as the template's or `service`; by type and market null, as these are told with the delivery. */
                sent: number;
                /** @description Messages that were delivered, on the day of the first delivery. */
                delivered: number;
                /** @description Those of them that cost nothing. */
                free: number;
                /** @description Decimal text of what the delivered ones cost by the workspace's rates. */
                estimatedCost: string;
                /** @description Delivered ones of the official channel that are in no sum: no rate was known, or it was in another currency. */
                unknown: number;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        CompareUsageWithProviderResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description The month, `YYYY-MM`, in the instance's time zone. */
            month: string;
            /** @description Currency of the workspace's rates; null without rates. */
            currency: string | null;
            /** @description Currency of the account at the provider; null where it does not tell. */
            providerCurrency: string | null;
            /** @description By category. */
            categories: {
                /** @description The category or the type, in lower case; null for messages without one. */
                key: string | null;
                /** @description Messages that were delivered, by our sums. */
                delivered: number;
                /** @description The same as the provider counts it. */
                providerVolume: number;
                /** @description What they cost by the workspace's rates, as decimal text. */
                estimatedCost: string;
                /** @description Delivered ones without a rate, which `estimatedCost` leaves out. */
                unknown: number;
                /** @description What they cost by the provider's words, which calls its amounts approximate. */
                providerCost: string;
            }[];
            /** @description By type of pricing. */
            types: {
                /** @description The category or the type, in lower case; null for messages without one. */
                key: string | null;
                /** @description Messages that were delivered, by our sums. */
                delivered: number;
                /** @description The same as the provider counts it. */
                providerVolume: number;
                /** @description What they cost by the workspace's rates, as decimal text. */
                estimatedCost: string;
                /** @description Delivered ones without a rate, which `estimatedCost` leaves out. */
                unknown: number;
                /** @description What they cost by the provider's words, which calls its amounts approximate. */
                providerCost: string;
            }[];
            /** @description All together. */
            total: {
                /** @description Messages that were delivered, by our sums. */
                delivered: number;
                /** @description The same as the provider counts it. */
                providerVolume: number;
                /** @description What they cost by the workspace's rates, as decimal text. */
                estimatedCost: string;
                /** @description Delivered ones without a rate, which `estimatedCost` leaves out. */
                unknown: number;
                /** @description What they cost by the provider's words, which calls its amounts approximate. */
                providerCost: string;
            };
            /** @description How far the two are apart. */
            difference: {
                /** @description The differences of all categories together, in percent of what the provider counts. */
                volumePercent: number;
                /** @description The same of the amounts; null where they cannot be compared: without rates, or in two currencies. */
                costPercent: number | null;
            };
        };
        ResealCredentialsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Id of the key under which the responding process seals: the first 8 hexadecimal digits of the SHA-256 of its 32 bytes. */
            keyId: string;
            /** @description Number of instances whose credentials were sealed again. */
            resealed: number;
            /** @description Number of instances whose credentials are still sealed under a former key. */
            remaining: number;
            /** @description Instances whose credentials no key opens. Set `providerConfig` again with PATCH. */
            unreadable: string[];
        };
        GetServiceHealthResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description `late` when an instance is late, else `disconnected` when one is, else `held` when one is held, else `ok`.
             * @enum {string}
             */
            status: "ok" | "late" | "held" | "disconnected";
            /**
             * Format: date-time
             * @description Time at which the database was asked.
             */
            checkedAt: string;
            /** @description Numbers of instances. */
            instances: {
                /** @description Number of all instances. */
                total: number;
                /** @description Number of instances that their provider rejects as a whole. */
                held: number;
                /** @description Number of instances that have lost their connection. */
                disconnected: number;
                /** @description Number of instances with a message more than one minute overdue. */
                late: number;
                /** @description Number of instances with messages whose outcome is unknown. */
                unconfirmed: number;
            };
            /** @description Messages that are to be sent. */
            messages: {
                /** @description Number of queued messages, due or not. */
                queueDepth: number;
                /** @description Number of messages that are being sent. */
                inFlight: number;
                /** @description Number of messages whose outcome is unknown. */
                unconfirmed: number;
                /**
                 * Format: date-time
                 * @description Time since which the oldest due row has been due; null when none is.
                 */
                oldestDueAt: string | null;
                /** @description The same as an age in seconds. */
                oldestDueSeconds: number | null;
            };
            /** @description E-mails and agents' answers that requests promised. */
            outbox: {
                /** @description Number of entries that are not done yet. */
                pending: number;
                /** @description Number of entries that were given up in the last 90 days. */
                dead: number;
                /**
                 * Format: date-time
                 * @description Time since which the oldest due row has been due; null when none is.
                 */
                oldestDueAt: string | null;
                /** @description The same as an age in seconds. */
                oldestDueSeconds: number | null;
            };
            /** @description The database. */
            database: {
                /** @description Its size on disk. */
                sizeBytes: number;
            };
            /** @description The twenty instances that need attention most, late ones first. */
            attention: {
                /**
                 * Format: uuid
                 * @description Id of the instance.
                 */
                instanceId: string;
                /**
                 * @description `ok` (it has unconfirmed messages), `late`, `disconnected` or `held`.
                 * @enum {string}
                 */
                status: "ok" | "late" | "held" | "disconnected";
                /**
                 * Format: date-time
                 * @description End of the hold; null when there is none.
                 */
                heldUntil: string | null;
                /** @description Age of its oldest due message; null when none is due. */
                oldestDueSeconds: number | null;
                /** @description Number of its queued messages, due or not. */
                queueDepth: number;
                /** @description Number of its messages whose outcome is unknown. */
                unconfirmed: number;
            }[];
        };
        CreateBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description A name for people, at most 200 characters. */
            name?: string;
            /** @description The stored template that is sent, by `templateId`, or by `name` and `language` (this instance's, then the workspace's); `message` in its place sends a message. */
            template?: {
                /** @description Name of the template, with `language`; several that fit are 409 `template_ambiguous`. */
                name?: string;
                /** @description Language of the template, such as `pt_BR`. */
                language?: string;
                /** @description Id of the template. */
                templateId?: string;
            };
            /** @description The message that is sent, as `send-message` takes it. Its texts may hold `{{variables}}`, filled from the recipient's, and `{{nome}}` and `{{telefone}}` from the contact. */
            message?: {
                /**
                 * @description Type of the message.
                 * @enum {string}
                 */
                messageType?: "text" | "image" | "video" | "audio" | "document" | "sticker" | "voice" | "location" | "contacts" | "option_list" | "buttons" | "link_button" | "location_request" | "contact_request" | "reaction";
                /**
                 * Format: uuid
                 * @description Id of the message's file at media-api; null for none.
                 */
                mediaId?: string;
                /** @description The text; for media the caption, for an option list the body. */
                message?: string;
                /** @description Public https URL of the file, as `mediaUrl` of send-message. */
                mediaUrl?: string;
                /** @description File name of a document, as the contact sees it. */
                mediaFilename?: string;
                /** @description A position, in degrees north and east. */
                location?: {
                    /** @description Degrees north. */
                    latitude: number;
                    /** @description Degrees east. */
                    longitude: number;
                    /** @description Name of the place. */
                    name?: string;
                    /** @description Address of the place. */
                    address?: string;
                };
                /** @description Contact cards. */
                contacts?: {
                    /** @description Name on the card. */
                    name: string;
                    /** @description Phones, best with country code. */
                    phones: string[];
                    /** @description E-mail addresses. */
                    emails?: string[];
                    /** @description Company. */
                    organization?: string;
                    /** @description Web addresses. */
                    urls?: string[];
                }[];
                /** @description The options to choose from: `options`, or in their place `sections`; 10 in all. */
                optionList?: {
                    /** @description Title of the list. */
                    title: string;
                    /** @description Text of the button that opens the list. */
                    buttonLabel: string;
                    /** @description The options. */
                    options?: {
                        /** @description Id of the option. Default: its position. */
                        id?: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                    /** @description The sections, in place of `options`. */
                    sections?: {
                        /** @description Title of the section. */
                        title: string;
                        /** @description The options. */
                        options: {
                            /** @description Id of the option. Default: its position. */
                            id?: string;
                            /** @description Title of the option. */
                            title: string;
                            /** @description Second line of the option. */
                            description?: string;
                        }[];
                    }[];
                };
                /** @description The buttons to choose from. */
                buttons?: {
                    /** @description Id of the button. Default: its position. */
                    id?: string;
                    /** @description Title of the button. */
                    title: string;
                }[];
                /** @description What stands above the buttons: `text`, or a file by `type` with `mediaUrl` or `mediaId`. */
                header?: {
                    /** @description The text above. */
                    text?: string;
                    /**
                     * @description Kind of the file above.
                     * @enum {string}
                     */
                    type?: "image" | "video" | "document";
                    /** @description Public https URL of the file. */
                    mediaUrl?: string;
                    /**
                     * Format: uuid
                     * @description Id of a file that media-api keeps.
                     */
                    mediaId?: string;
                };
                /** @description The small text below the buttons. */
                footer?: string;
                /** @description The button that opens a web address. */
                linkButton?: {
                    /** @description Title of the button. */
                    title: string;
                    /** @description The address that it opens, https. */
                    url: string;
                };
                /** @description The reaction to another message. */
                reaction?: {
                    /**
                     * Format: uuid
                     * @description Id of the message, sent or received, of the same contact.
                     */
                    messageId: string;
                    /** @description The emoji; null takes the reaction back. */
                    emoji: string | null;
                };
                /**
                 * @description `native` sends the channel's own buttons, `text` a numbered text; `auto` is native where the channel shows it dependably. Default: the instance's `interactiveRendering`.
                 * @enum {string}
                 */
                rendering?: "auto" | "native" | "text";
                /** @description `false` sends a link without its preview where the channel can. */
                linkPreview?: boolean;
                /** @description `true` lets the person see the file once only (Z-API). */
                viewOnce?: boolean;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Least number of seconds between two messages. Default: the instance's `pace`, where it has one, else 30; shown as 30. */
            intervalSeconds?: number;
            /** @description No message leaves before. It does not start the batch. */
            startAt?: string & (unknown & unknown);
            /** @description What has not left by then is never sent, and reads as `expired`. */
            expiresAt?: string & (unknown & unknown);
            /**
             * @description `strict` refuses the whole call when an entry has errors; `permissive` takes the others. Default: `"strict"`.
             * @enum {string}
             */
            validation?: "strict" | "permissive";
            /** @description Answers with 200 what creating and starting the batch now would do, as `POST batches/{id}/dry-run`, and stores nothing. */
            dryRun?: boolean;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
            /** @description Up to 1,000 a call; 100,000 in a batch. */
            recipients?: {
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone?: string;
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId?: string;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId?: string;
                /** @description Values of the placeholders, by name: texts or numbers. */
                variables?: {
                    [key: string]: unknown;
                };
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId?: string;
                /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
                metadata?: {
                    [key: string]: string;
                };
            }[];
        };
        StoredBatch: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The batch that the message belongs to.
             */
            batchId: string;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "draft" | "running" | "paused" | "canceled" | "finished";
            /** @description Number of recipients that are written to. */
            added: number;
            /** @description Entries of a contact that the list has already, in whatever spelling: they are skipped. */
            duplicates: {
                /** @description The entry's index in the whole list, from 0. */
                index: number;
                /** @description Index of the entry that is written to. */
                of: number;
            }[];
            /** @description Entries that cannot be written to, by `validation: permissive`; with `strict`, the whole call is refused with 400 and the same member. */
            errors: {
                /** @description The entry's index in the whole list, from 0. */
                index: number;
                /** @description What is wrong with it. */
                issues: {
                    /** @description Path of the field in the entry. */
                    path: string;
                    /** @description What is wrong, in one sentence. */
                    message: string;
                }[];
            }[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListBatchesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The batch that the message belongs to.
                 */
                batchId: string;
                /** @description A name for people, at most 200 characters. */
                name: string | null;
                /**
                 * @description Status of the message.
                 * @enum {string}
                 */
                status: "draft" | "running" | "paused" | "canceled" | "finished";
                /**
                 * Format: uuid
                 * @description The template that is sent; null for a message.
                 */
                templateId: string | null;
                /**
                 * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
                 * @enum {string}
                 */
                purpose: "marketing" | "utility" | "authentication" | "service";
                /**
                 * @description `strict` refuses the whole call when an entry has errors; `permissive` takes the others.
                 * @enum {string}
                 */
                validation: "strict" | "permissive";
                /** @description Least number of seconds between two messages. Default: the instance's `pace`, where it has one, else 30; shown as 30. */
                intervalSeconds: number;
                /**
                 * Format: date-time
                 * @description No message leaves before. It does not start the batch.
                 */
                startAt: string | null;
                /**
                 * Format: date-time
                 * @description What has not left by then is never sent, and reads as `expired`.
                 */
                expiresAt: string | null;
                /** @description Number of entries in the list, those that are skipped included. */
                recipientCount: number;
                /** @description Recipients by status. `pending` have no message yet; a message that is being sent counts as `queued`. */
                counts: {
                    /** @description Have no message yet. */
                    pending: number;
                    /** @description Their message waits in the queue, or is being sent. */
                    queued: number;
                    /** @description Their message waits until the person writes: see `outsideWindow`. */
                    awaitingReply: number;
                    /** @description The provider has accepted their message. */
                    sent: number;
                    /** @description Have received it. */
                    delivered: number;
                    /** @description Have read it. */
                    read: number;
                    /** @description The provider refused it; `retry-failed` tries these again. */
                    failed: number;
                    /** @description It may have left or not: never tried again by itself. */
                    unconfirmed: number;
                    /** @description Canceled before it left. */
                    canceled: number;
                    /** @description Had not left by `expiresAt`. */
                    expired: number;
                    /** @description Get none: see `reason` of the recipient. */
                    skipped: number;
                };
                /**
                 * Format: date-time
                 * @description When the first message is to leave, or was; null for a draft.
                 */
                firstScheduledFor: string | null;
                /**
                 * Format: date-time
                 * @description When the last message is to leave, or was; null for a draft. Of more than 1,000 pending recipients it is an estimate, by the windows, the intervals and the daily limits, as if nobody were skipped; a dry run and the list of recipients give exact slots.
                 */
                lastScheduledFor: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description When the batch was started; null for a draft.
                 */
                startedAt: string | null;
                /**
                 * Format: date-time
                 * @description When nothing of the batch was left to send, or it was canceled.
                 */
                finishedAt: string | null;
                /**
                 * @description Why the batch has paused by itself: `template_refused` and `account_restricted` (the channel refuses every message of the template, or of the number), `failures_in_row` (five messages in a row have failed with the same code); null where it has not, or a call paused it.
                 * @enum {string|null}
                 */
                pauseReason: "template_refused" | "account_restricted" | "failures_in_row" | null;
                /** @description The last error that it paused for; null for all others. */
                pauseError: {
                    /** @description The provider's code, or ours. */
                    code: string;
                    /** @description The provider's words. */
                    message: string;
                } | null;
                /** @description `category_changes`: the channel has announced that it gives the template another category, by which it costs; see `categoryChange` of the template. Empty for nothing to know. */
                warnings: "category_changes"[];
                /** @description Of a draft, what it would cost if everybody who may be written to now received it; else what it has cost so far: the sum of its messages' estimates, which stays when people are erased. Null for gateways, which bill no message. */
                estimatedCost: {
                    /** @description Decimal text of the currency's unit. */
                    amount: string;
                    /** @description Currency of the workspace's rates; null where it has none. */
                    currency: string | null;
                    /** @description Messages without a rate, which the amount leaves out. */
                    unknown: number;
                } | null;
                /** @description What is still to be sent would cost by the category that the channel has announced for the template; null without the warning `category_changes`, and for gateways. */
                estimatedCostAfterChange: {
                    /** @description Decimal text of the currency's unit. */
                    amount: string;
                    /** @description Currency of the workspace's rates; null where it has none. */
                    currency: string | null;
                    /** @description Messages without a rate, which the amount leaves out. */
                    unknown: number;
                } | null;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        Batch: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The batch that the message belongs to.
             */
            batchId: string;
            /** @description A name for people, at most 200 characters. */
            name: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "draft" | "running" | "paused" | "canceled" | "finished";
            /**
             * Format: uuid
             * @description The template that is sent; null for a message.
             */
            templateId: string | null;
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose: "marketing" | "utility" | "authentication" | "service";
            /**
             * @description `strict` refuses the whole call when an entry has errors; `permissive` takes the others.
             * @enum {string}
             */
            validation: "strict" | "permissive";
            /** @description Least number of seconds between two messages. Default: the instance's `pace`, where it has one, else 30; shown as 30. */
            intervalSeconds: number;
            /**
             * Format: date-time
             * @description No message leaves before. It does not start the batch.
             */
            startAt: string | null;
            /**
             * Format: date-time
             * @description What has not left by then is never sent, and reads as `expired`.
             */
            expiresAt: string | null;
            /** @description Number of entries in the list, those that are skipped included. */
            recipientCount: number;
            /** @description Recipients by status. `pending` have no message yet; a message that is being sent counts as `queued`. */
            counts: {
                /** @description Have no message yet. */
                pending: number;
                /** @description Their message waits in the queue, or is being sent. */
                queued: number;
                /** @description Their message waits until the person writes: see `outsideWindow`. */
                awaitingReply: number;
                /** @description The provider has accepted their message. */
                sent: number;
                /** @description Have received it. */
                delivered: number;
                /** @description Have read it. */
                read: number;
                /** @description The provider refused it; `retry-failed` tries these again. */
                failed: number;
                /** @description It may have left or not: never tried again by itself. */
                unconfirmed: number;
                /** @description Canceled before it left. */
                canceled: number;
                /** @description Had not left by `expiresAt`. */
                expired: number;
                /** @description Get none: see `reason` of the recipient. */
                skipped: number;
            };
            /**
             * Format: date-time
             * @description When the first message is to leave, or was; null for a draft.
             */
            firstScheduledFor: string | null;
            /**
             * Format: date-time
             * @description When the last message is to leave, or was; null for a draft. Of more than 1,000 pending recipients it is an estimate, by the windows, the intervals and the daily limits, as if nobody were skipped; a dry run and the list of recipients give exact slots.
             */
            lastScheduledFor: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the batch was started; null for a draft.
             */
            startedAt: string | null;
            /**
             * Format: date-time
             * @description When nothing of the batch was left to send, or it was canceled.
             */
            finishedAt: string | null;
            /**
             * @description Why the batch has paused by itself: `template_refused` and `account_restricted` (the channel refuses every message of the template, or of the number), `failures_in_row` (five messages in a row have failed with the same code); null where it has not, or a call paused it.
             * @enum {string|null}
             */
            pauseReason: "template_refused" | "account_restricted" | "failures_in_row" | null;
            /** @description The last error that it paused for; null for all others. */
            pauseError: {
                /** @description The provider's code, or ours. */
                code: string;
                /** @description The provider's words. */
                message: string;
            } | null;
            /** @description `category_changes`: the channel has announced that it gives the template another category, by which it costs; see `categoryChange` of the template. Empty for nothing to know. */
            warnings: "category_changes"[];
            /** @description Of a draft, what it would cost if everybody who may be written to now received it; else what it has cost so far: the sum of its messages' estimates, which stays when people are erased. Null for gateways, which bill no message. */
            estimatedCost: {
                /** @description Decimal text of the currency's unit. */
                amount: string;
                /** @description Currency of the workspace's rates; null where it has none. */
                currency: string | null;
                /** @description Messages without a rate, which the amount leaves out. */
                unknown: number;
            } | null;
            /** @description What is still to be sent would cost by the category that the channel has announced for the template; null without the warning `category_changes`, and for gateways. */
            estimatedCostAfterChange: {
                /** @description Decimal text of the currency's unit. */
                amount: string;
                /** @description Currency of the workspace's rates; null where it has none. */
                currency: string | null;
                /** @description Messages without a rate, which the amount leaves out. */
                unknown: number;
            } | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        AddBatchRecipientsRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Up to 1,000 a call; 100,000 in a batch. */
            recipients: {
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone?: string;
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId?: string;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId?: string;
                /** @description Values of the placeholders, by name: texts or numbers. */
                variables?: {
                    [key: string]: unknown;
                };
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId?: string;
                /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
                metadata?: {
                    [key: string]: string;
                };
            }[];
            /**
             * @description `strict` refuses the whole call when an entry has errors; `permissive` takes the others. Default: the batch's.
             * @enum {string}
             */
            validation?: "strict" | "permissive";
        };
        ListBatchRecipientsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /** @description Place in the list, from 0. */
                index: number;
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string | null;
                /** @description The phone as the list has it, else the contact's; null for an entry with errors, of which nothing is kept. */
                phone: string | null;
                /**
                 * @description Status of the message.
                 * @enum {string}
                 */
                status: "pending" | "queued" | "sent" | "delivered" | "read" | "failed" | "unconfirmed" | "canceled" | "expired" | "skipped";
                /** @description Why the recipient is skipped, or would be if its turn was now; null for all others. */
                reason: string | null;
                /**
                 * Format: uuid
                 * @description The recipient's message; null until it has one.
                 */
                messageId: string | null;
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId: string | null;
                /**
                 * Format: date-time
                 * @description When the message leaves, or left: of a pending recipient of a running batch the slot that is forecast. Null while the queue is held without an end or disconnected.
                 */
                scheduledFor: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the provider accepted the message.
                 */
                sentAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the message reached the contact's device.
                 */
                deliveredAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
                 */
                readAt: string | null;
                /** @description Error of the last failed attempt; null when none has failed. */
                lastError: {
                    /** @description The provider's error code, or a code of this service when the provider sent none. */
                    code: string;
                    /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                    message: string;
                } | null;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        DryRunBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description The first recipient to answer for. Those before it take their slots all the same. Default: `0`. */
            fromIndex?: number;
            /** @description How many recipients to answer for, at most 10,000. Default: `10000`. */
            limit?: number;
        };
        DryRun: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description What the items come to. */
            summary: {
                /** @description Recipients that get a message. */
                send: number;
                /** @description Recipients that get none, by reason. */
                skip: {
                    [key: string]: number;
                };
                /**
                 * Format: date-time
                 * @description When the first message would leave.
                 */
                firstScheduledFor: string | null;
                /**
                 * Format: date-time
                 * @description When the last message would leave.
                 */
                lastScheduledFor: string | null;
                /** @description Number of the instance's own days on which something would leave. */
                days: number;
                /** @description How many of `send` have an open window at their slot, by what they have written so far; on gateways all. */
                windowOpen: number;
                /** @description How many of `send` leave during the contact's free entry point, for which the channel bills nothing; see `window.freeUntil` of the contact. */
                freeEntryPoint: number;
                /** @description Of `send`, how they would go by what is known now: as they are, by Direct Send, as a template, or after an invitation. */
                sentAs: {
                    /** @description As they are. */
                    message: number;
                    /** @description As utility messages without a template. */
                    direct_send: number;
                    /** @description As a template. */
                    template: number;
                    /** @description After the answer to an invitation. */
                    invitation: number;
                };
            };
            /** @description The records on this page. */
            items: {
                /** @description The recipient's place in the list, from 0. */
                index: number;
                /**
                 * @description Whether the recipient would get a message.
                 * @enum {string}
                 */
                outcome: "send" | "skip";
                /** @description Why it would get none: `duplicate_contact`, `opted_out`, `blocked`, `window_closed`, `missing_variables`, `invalid_phone`, `recipient_needs_phone`, `expires_before_slot`, or another error of the entry; null where it is sent. */
                reason: string | null;
                /**
                 * Format: date-time
                 * @description The slot; null where nothing is sent.
                 */
                scheduledFor: string | null;
            }[];
            /** @description `fromIndex` of the next part; null at the end of the list. */
            nextIndex: number | null;
            /** @description `category_changes`: the channel has announced that it gives the template another category, by which it costs; see `categoryChange` of the template. Empty for nothing to know. */
            warnings: "category_changes"[];
            /** @description What the items would cost if all were delivered: by the category of the template (a message is `service`), the market of each recipient and the rate on the day of the slot, less the month's free service messages that are left. Null for gateways, which bill no message. */
            estimatedCost: {
                /** @description Decimal text of the currency's unit. */
                amount: string;
                /** @description Currency of the workspace's rates; null where it has none. */
                currency: string | null;
                /** @description Messages without a rate, which the amount leaves out. */
                unknown: number;
            } | null;
            /** @description What is still to be sent would cost by the category that the channel has announced for the template; null without the warning `category_changes`, and for gateways. */
            estimatedCostAfterChange: {
                /** @description Decimal text of the currency's unit. */
                amount: string;
                /** @description Currency of the workspace's rates; null where it has none. */
                currency: string | null;
                /** @description Messages without a rate, which the amount leaves out. */
                unknown: number;
            } | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        StartBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        PauseBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        ResumeBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        RetryFailedOfBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        CancelBatchRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        CreateContactRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Name. */
            name?: string | null;
            /** @description E-mail address. */
            email?: ("" | string) | null;
            /** @description Company. */
            company?: string | null;
            /** @description Job title. */
            jobTitle?: string | null;
            /** @description Free-form notes. */
            notes?: string | null;
            /** @description Campaign source (UTM). */
            utmSource?: string | null;
            /** @description Campaign medium (UTM). */
            utmMedium?: string | null;
            /** @description Campaign name (UTM). */
            utmCampaign?: string | null;
            /** @description Custom fields chosen by the caller, at most 32 KiB as JSON. */
            customLabels?: {
                [key: string]: unknown;
            } | null;
            /** @description Names of tags to add. Unknown tags are created. */
            tags?: string[];
        };
        CreateContactResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Whether the contact was created or updated.
             * @enum {string}
             */
            action: "created" | "updated";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description The requested tags that the contact now has. */
            tagsApplied: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        UpdateContactRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Name. */
            name?: string | null;
            /** @description E-mail address. */
            email?: ("" | string) | null;
            /** @description Company. */
            company?: string | null;
            /** @description Job title. */
            jobTitle?: string | null;
            /** @description Free-form notes. */
            notes?: string | null;
            /** @description Campaign source (UTM). */
            utmSource?: string | null;
            /** @description Campaign medium (UTM). */
            utmMedium?: string | null;
            /** @description Campaign name (UTM). */
            utmCampaign?: string | null;
            /** @description Custom fields chosen by the caller, at most 32 KiB as JSON. */
            customLabels?: {
                [key: string]: unknown;
            } | null;
            /** @description Whether the contact is a favorite. */
            isFavorite?: boolean;
            /** @description Whether the contact is archived. */
            isArchived?: boolean;
            /** @description Whether the contact is blocked: sending to a blocked contact is rejected. */
            isBlocked?: boolean;
            /** @description Names of tags to add. Unknown tags are created. */
            tags?: string[];
        };
        UpdateContactResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description Whether the contact was created or updated.
             * @enum {string}
             */
            action: "created" | "updated";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Names of the updated fields. */
            fieldsUpdated: string[];
            /** @description The requested tags that the contact now has. */
            tagsApplied: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ChangeContactTagsRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Names of tags to add. Unknown tags are created. */
            addTags?: string[];
            /** @description Names of tags to remove. */
            removeTags?: string[];
        };
        ChangeContactTagsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description The requested tags that the contact now has. */
            tagsApplied: string[];
            /** @description Names of the removed tags. */
            tagsRemoved: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SetContactConsentRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * @description Whether the contact wants marketing messages.
             * @enum {string}
             */
            marketing: "granted" | "denied" | "unknown";
            /** @description Where the contact said it; `api` by default. Default: `"api"`. */
            source?: string;
            /** @description Proof of the statement, kept in the log: text, or an object of your own. */
            evidence?: (string | {
                [key: string]: unknown;
            }) | null;
        };
        SetContactConsentResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description The contact's consent to marketing. */
            consent: {
                /**
                 * @description Whether the contact wants marketing messages.
                 * @enum {string}
                 */
                marketing: "granted" | "denied" | "unknown";
                /**
                 * Format: date-time
                 * @description Since when; null while nothing is known.
                 */
                at: string | null;
                /** @description Who told it: `api` or what the call gave, `keyword`, `user_preferences` or `131050` of the channel; null while nothing is known. */
                source: string | null;
            };
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        BlockContactRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
        };
        BlockedContact: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description What the contact is now. */
            isBlocked: boolean;
            /**
             * @description `blocked` or `unblocked`: done there too. `not_supported`: the channel has no blocking. `refused`: it did not do it, or its answer was lost; see `details`.
             * @enum {string}
             */
            channel: "blocked" | "unblocked" | "not_supported" | "refused";
            /** @description Why the channel did not do it. */
            details?: {
                /** @description The provider's code; `outcome_unknown` where its answer was lost. */
                code: string;
                /** @description The provider's words. */
                message: string;
            };
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        UnblockContactRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
        };
        ListContactsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: ({
                /** Format: uuid */
                contactId: string;
                phone: string | null;
                /** @description Name. */
                name: string | null;
                /** @description E-mail address. */
                email: string | null;
                /** @description Company. */
                company: string | null;
                /** @description Job title. */
                jobTitle: string | null;
                /** @description Free-form notes. */
                notes: string | null;
                tags: string[];
                /** @description Campaign source (UTM). */
                utmSource: string | null;
                /** @description Campaign medium (UTM). */
                utmMedium: string | null;
                /** @description Campaign name (UTM). */
                utmCampaign: string | null;
                /** @description Custom fields chosen by the caller, at most 32 KiB as JSON. */
                customLabels: {
                    [key: string]: unknown;
                };
                /** @description Whether the contact is a favorite. */
                isFavorite: boolean;
                /** @description Whether the contact is archived. */
                isArchived: boolean;
                /** @description Whether the contact is blocked: sending to a blocked contact is rejected. */
                isBlocked: boolean;
                origin: string;
                consent: {
                    /** @enum {string} */
                    marketing: "granted" | "denied" | "unknown";
                    /** Format: date-time */
                    at: string | null;
                    source: string | null;
                };
                identities: {
                    /** @enum {string} */
                    kind: "phone" | "lid" | "user_id" | "parent_user_id" | "username";
                    value: string;
                    /** Format: date-time */
                    provenAt: string | null;
                }[];
                window: {
                    isOpen: boolean;
                    /** Format: date-time */
                    closesAt: string | null;
                    /** Format: date-time */
                    freeUntil: string | null;
                };
                /** @description The ad or post that brought the person. */
                referral: {
                    /** @description `ad` or `post`, as the channel spells it. */
                    sourceType?: string;
                    /** @description Id of the ad or post. */
                    sourceId?: string;
                    /** @description Web address of the ad or post. */
                    sourceUrl?: string;
                    /** @description Headline of the ad. */
                    headline?: string;
                    /** @description Text of the ad. */
                    body?: string;
                    /** @description Id of the click, for reports to the advertiser. */
                    clickId?: string;
                    /** @description The channel's address of the ad's picture or video. */
                    mediaUrl?: string;
                    /** @description The channel's address of the ad's picture, or of its video's. */
                    imageUrl?: string;
                    /** @description The channel's address of the ad's video. */
                    videoUrl?: string;
                    /** @description `image` or `video`. */
                    mediaType?: string;
                    /** @description What the ad greeted the person with. */
                    welcomeMessage?: string;
                } | null;
                /** @description The channel's address of the person's picture, as it was told last; it may have ended since. Null where none was told. */
                profilePictureUrl: string | null;
                /** Format: date-time */
                aiAgentPausedUntil: string | null;
                conversation: {
                    /** Format: uuid */
                    conversationId: string;
                    /** @enum {string} */
                    status: "open" | "closed" | "pending";
                    /** Format: uuid */
                    assignedTo: string | null;
                    /** Format: uuid */
                    departmentId: string | null;
                    portfolio: boolean;
                    /** Format: date-time */
                    lastMessageAt: string | null;
                } | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            } | {
                /** Format: uuid */
                contactId: string;
                /** @constant */
                isDeleted: true;
                /** Format: uuid */
                mergedInto: string | null;
                /** Format: date-time */
                updatedAt: string;
            })[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        GetContactResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone: string | null;
            /** @description Name. */
            name: string | null;
            /** @description E-mail address. */
            email: string | null;
            /** @description Company. */
            company: string | null;
            /** @description Job title. */
            jobTitle: string | null;
            /** @description Free-form notes. */
            notes: string | null;
            /** @description Names of tags to add. Unknown tags are created. */
            tags: string[];
            /** @description Campaign source (UTM). */
            utmSource: string | null;
            /** @description Campaign medium (UTM). */
            utmMedium: string | null;
            /** @description Campaign name (UTM). */
            utmCampaign: string | null;
            /** @description Custom fields chosen by the caller, at most 32 KiB as JSON. */
            customLabels: {
                [key: string]: unknown;
            };
            /** @description Whether the contact is a favorite. */
            isFavorite: boolean;
            /** @description Whether the contact is archived. */
            isArchived: boolean;
            /** @description Whether the contact is blocked: sending to a blocked contact is rejected. */
            isBlocked: boolean;
            /** @description How the contact came to be: `api` or `inbound`. */
            origin: string;
            /** @description The contact's consent to marketing. */
            consent: {
                /**
                 * @description Whether the contact wants marketing messages.
                 * @enum {string}
                 */
                marketing: "granted" | "denied" | "unknown";
                /**
                 * Format: date-time
                 * @description Since when; null while nothing is known.
                 */
                at: string | null;
                /** @description Who told it: `api` or what the call gave, `keyword`, `user_preferences` or `131050` of the channel; null while nothing is known. */
                source: string | null;
            };
            /** @description By what the contact is known; `provenAt` is null for what the API gave and nobody has proven. */
            identities: {
                /**
                 * @description Kind of the identity.
                 * @enum {string}
                 */
                kind: "phone" | "lid" | "user_id" | "parent_user_id" | "username";
                /** @description The phone, the LID or the user id. */
                value: string;
                /**
                 * Format: date-time
                 * @description When the channel last showed that it is the contact's.
                 */
                provenAt: string | null;
            }[];
            /** @description The official channel's 24 hours after the contact's last message that was no reaction. Gateways have none: always open. */
            window: {
                /** @description Whether a free-form message may be sent now. */
                isOpen: boolean;
                /**
                 * Format: date-time
                 * @description When it closes or has closed; null before the contact's first message, and on gateways.
                 */
                closesAt: string | null;
                /**
                 * Format: date-time
                 * @description While the channel bills nothing: 72 hours from the first answer within 24 hours of a message that an ad or post brought. Null for none now. It does not open the window.
                 */
                freeUntil: string | null;
            };
            /** @description The ad or post that brought the person. */
            referral: {
                /** @description `ad` or `post`, as the channel spells it. */
                sourceType?: string;
                /** @description Id of the ad or post. */
                sourceId?: string;
                /** @description Web address of the ad or post. */
                sourceUrl?: string;
                /** @description Headline of the ad. */
                headline?: string;
                /** @description Text of the ad. */
                body?: string;
                /** @description Id of the click, for reports to the advertiser. */
                clickId?: string;
                /** @description The channel's address of the ad's picture or video. */
                mediaUrl?: string;
                /** @description The channel's address of the ad's picture, or of its video's. */
                imageUrl?: string;
                /** @description The channel's address of the ad's video. */
                videoUrl?: string;
                /** @description `image` or `video`. */
                mediaType?: string;
                /** @description What the ad greeted the person with. */
                welcomeMessage?: string;
            } | null;
            /** @description The channel's address of the person's picture, as it was told last; it may have ended since. Null where none was told. */
            profilePictureUrl: string | null;
            /**
             * Format: date-time
             * @description Until when the AI agent keeps silent; null when it is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description The contact's conversation; null before the first operation that needs one. */
            conversation: {
                /**
                 * Format: uuid
                 * @description The conversation's UUID.
                 */
                conversationId: string;
                /**
                 * @description Status of the message.
                 * @enum {string}
                 */
                status: "open" | "closed" | "pending";
                /**
                 * Format: uuid
                 * @description UUID of the operator to whom the conversation is assigned now.
                 */
                assignedTo: string | null;
                /**
                 * Format: uuid
                 * @description The department's UUID; when omitted, the department does not change.
                 */
                departmentId: string | null;
                /** @description Whether the contact is in the operator's portfolio. */
                portfolio: boolean;
                /**
                 * Format: date-time
                 * @description When the last message was sent or received.
                 */
                lastMessageAt: string | null;
            } | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Last change of the contact or its conversation, messages included.
             */
            updatedAt: string;
        };
        EraseContactResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description How far it is: `GET erasures/{erasureId}`.
             */
            erasureId: string;
        };
        ExportContactResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: date-time
             * @description When the export was begun.
             */
            exportedAt: string;
            /** @description The contact, with every field. */
            contact: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                phone: string | null;
                /** @description Name. */
                name: string | null;
                /** @description E-mail address. */
                email: string | null;
                /** @description Company. */
                company: string | null;
                /** @description Job title. */
                jobTitle: string | null;
                /** @description Free-form notes. */
                notes: string | null;
                /** @description Names of tags to add. Unknown tags are created. */
                tags: string[];
                /** @description Campaign source (UTM). */
                utmSource: string | null;
                /** @description Campaign medium (UTM). */
                utmMedium: string | null;
                /** @description Campaign name (UTM). */
                utmCampaign: string | null;
                /** @description Custom fields chosen by the caller, at most 32 KiB as JSON. */
                customLabels: {
                    [key: string]: unknown;
                };
                /** @description Whether the contact is a favorite. */
                isFavorite: boolean;
                /** @description Whether the contact is archived. */
                isArchived: boolean;
                /** @description Whether the contact is blocked: sending to a blocked contact is rejected. */
                isBlocked: boolean;
                /** @description How the contact came to be: `api` or `inbound`. */
                origin: string;
                /** @description The contact's consent to marketing. */
                consent: {
                    /**
                     * @description Whether the contact wants marketing messages.
                     * @enum {string}
                     */
                    marketing: "granted" | "denied" | "unknown";
                    /**
                     * Format: date-time
                     * @description Since when; null while nothing is known.
                     */
                    at: string | null;
                    /** @description Who told it: `api` or what the call gave, `keyword`, `user_preferences` or `131050` of the channel; null while nothing is known. */
                    source: string | null;
                };
                /** @description By what the contact is known; `provenAt` is null for what the API gave and nobody has proven. */
                identities: {
                    /**
                     * @description Kind of the identity.
                     * @enum {string}
                     */
                    kind: "phone" | "lid" | "user_id" | "parent_user_id" | "username";
                    /** @description The phone, the LID or the user id. */
                    value: string;
                    /**
                     * Format: date-time
                     * @description When the channel last showed that it is the contact's.
                     */
                    provenAt: string | null;
                }[];
                /** @description The official channel's 24 hours after the contact's last message that was no reaction. Gateways have none: always open. */
                window: {
                    /** @description Whether a free-form message may be sent now. */
                    isOpen: boolean;
                    /**
                     * Format: date-time
                     * @description When it closes or has closed; null before the contact's first message, and on gateways.
                     */
                    closesAt: string | null;
                    /**
                     * Format: date-time
                     * @description While the channel bills nothing: 72 hours from the first answer within 24 hours of a message that an ad or post brought. Null for none now. It does not open the window.
                     */
                    freeUntil: string | null;
                };
                /** @description The ad or post that brought the person. */
                referral: {
                    /** @description `ad` or `post`, as the channel spells it. */
                    sourceType?: string;
                    /** @description Id of the ad or post. */
                    sourceId?: string;
                    /** @description Web address of the ad or post. */
                    sourceUrl?: string;
                    /** @description Headline of the ad. */
                    headline?: string;
                    /** @description Text of the ad. */
                    body?: string;
                    /** @description Id of the click, for reports to the advertiser. */
                    clickId?: string;
                    /** @description The channel's address of the ad's picture or video. */
                    mediaUrl?: string;
                    /** @description The channel's address of the ad's picture, or of its video's. */
                    imageUrl?: string;
                    /** @description The channel's address of the ad's video. */
                    videoUrl?: string;
                    /** @description `image` or `video`. */
                    mediaType?: string;
                    /** @description What the ad greeted the person with. */
                    welcomeMessage?: string;
                } | null;
                /** @description The channel's address of the person's picture, as it was told last; it may have ended since. Null where none was told. */
                profilePictureUrl: string | null;
                /**
                 * Format: date-time
                 * @description Until when the AI agent keeps silent; null when it is not paused.
                 */
                aiAgentPausedUntil: string | null;
                /** @description The contact's conversation; null before the first operation that needs one. */
                conversation: {
                    /**
                     * Format: uuid
                     * @description The conversation's UUID.
                     */
                    conversationId: string;
                    /**
                     * @description Status of the message.
                     * @enum {string}
                     */
                    status: "open" | "closed" | "pending";
                    /**
                     * Format: uuid
                     * @description UUID of the operator to whom the conversation is assigned now.
                     */
                    assignedTo: string | null;
                    /**
                     * Format: uuid
                     * @description The department's UUID; when omitted, the department does not change.
                     */
                    departmentId: string | null;
                    /** @description Whether the contact is in the operator's portfolio. */
                    portfolio: boolean;
                    /**
                     * Format: date-time
                     * @description When the last message was sent or received.
                     */
                    lastMessageAt: string | null;
                } | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Last change of the contact or its conversation, messages included.
                 */
                updatedAt: string;
            };
            /** @description Contacts that were merged into this one. */
            mergedContactIds: string[];
            /** @description What the AI agent knows beyond the messages; null without a session. */
            agentSession: {
                /** @description `externalContext` of the calls, merged. */
                collectedData: {
                    [key: string]: unknown;
                };
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time of the last change.
                 */
                updatedAt: string;
            } | null;
            /** @description Every statement about marketing, oldest first. */
            consentLog: {
                /**
                 * @description Whether the contact wants marketing messages.
                 * @enum {string}
                 */
                marketing: "granted" | "denied" | "unknown";
                /**
                 * Format: date-time
                 * @description When it was said.
                 */
                at: string;
                /** @description Who said so: `api` or what the caller gave; `keyword`, `user_preferences` or `131050` where the person said it in the channel; `erasure` where it was said before an erasure. */
                source: string;
                /** @description What the caller gave as evidence. */
                evidence: (string | {
                    [key: string]: unknown;
                }) | null;
                /**
                 * Format: uuid
                 * @description The message that said it, where it was a keyword.
                 */
                messageId: string | null;
                /**
                 * Format: date-time
                 * @description When it was recorded.
                 */
                recordedAt: string;
            }[];
            /** @description Internal notes, oldest first. */
            notes: {
                /**
                 * Format: uuid
                 * @description The note's UUID.
                 */
                noteId: string;
                /** @description The note; only operators can see it. */
                note: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description Transfers between operators, oldest first. */
            transfers: {
                /**
                 * Format: uuid
                 * @description UUID of the operator until then.
                 */
                fromOperatorId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator since then; null for a transfer to nobody.
                 */
                toOperatorId: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description Every message: first those that have not left, then the others, oldest first. */
            messages: {
                /**
                 * Format: uuid
                 * @description The message's UUID in this service.
                 */
                messageId: string;
                /**
                 * @description `inbound` for received messages, `outbound` for sent ones.
                 * @enum {string}
                 */
                direction: "inbound" | "outbound";
                /**
                 * @description Status of the message.
                 * @enum {string}
                 */
                status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired" | "received";
                /** @description Type of the message. */
                messageType: string;
                /** @description The text; for media the caption, for an option list the body. */
                message: string | null;
                /** @description The option or the button that the contact selected. */
                choice: {
                    /** @description Id of the option. */
                    id?: string | null;
                    /** @description Title of the option. */
                    title: string;
                    /** @description The second line of a list's row. */
                    description?: string;
                } | null;
                /** @description A position. */
                location?: {
                    /** @description Degrees north. */
                    latitude: number;
                    /** @description Degrees east. */
                    longitude: number;
                    /** @description Name of the place. */
                    name?: string;
                    /** @description Address of the place. */
                    address?: string;
                    /** @description Web address of the place. */
                    url?: string;
                    /**
                     * @description The position was shared live: this is where the person was at first.
                     * @constant
                     */
                    isLive?: true;
                };
                /** @description Contact cards. */
                contacts?: {
                    /** @description Name on the card. */
                    name: string;
                    /** @description Phones as the card writes them. */
                    phones: string[];
                    /** @description E-mail addresses. */
                    emails?: string[];
                    /** @description Company, with department and title where the card has them. */
                    organization?: string;
                    /** @description Web addresses. */
                    urls?: string[];
                    /** @description Postal addresses, each as one line. */
                    addresses?: string[];
                    /** @description Birthday, as the card writes it. */
                    birthday?: string;
                    /** @description Where the card comes from, as the channel spells it: `contact_request` answers a request for the number. */
                    origin?: string;
                }[];
                /** @description A reaction to another message. */
                reaction?: {
                    /**
                     * Format: uuid
                     * @description The message that it is to; null where that is not stored.
                     */
                    messageId: string | null;
                    /** @description The emoji; null takes the reaction back. */
                    emoji: string | null;
                };
                /** @description An order from the catalog. */
                order?: {
                    /** @description Id of the catalog. */
                    catalogId?: string;
                    /** @description The channel's id of the order. */
                    orderId?: string;
                    /** @description The channel's token of the order. */
                    token?: string;
                    /** @description Title of the order. */
                    title?: string;
                    /** @description The ordered products. */
                    items: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description How many of it. */
                        quantity?: number;
                        /** @description Price of one. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                    }[];
                    /** @description How many products, where the channel tells no items. */
                    itemCount?: number;
                    /** @description Price of all items. */
                    subtotal?: string;
                    /** @description Price of the order. */
                    total?: string;
                    /** @description Currency of the sums. */
                    currency?: string;
                    /** @description What the contact wrote beside it. */
                    note?: string;
                };
                /** @description The product of a catalog that the message shows or asks about. */
                product?: {
                    /** @description The product's id in the catalog, the seller's own where it has one. */
                    productId?: string;
                    /** @description Id of the catalog. */
                    catalogId?: string;
                    /** @description Name of the product. */
                    name?: string;
                    /** @description Description of the product. */
                    description?: string;
                    /** @description Price. */
                    price?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                    /** @description Web address of the product. */
                    url?: string;
                    /** @description The channel's address of its picture. */
                    imageUrl?: string;
                };
                /** @description A submitted form. */
                flowAnswer?: {
                    /** @description The channel's name of the form. */
                    name?: string;
                    /** @description The token that the form was sent with. */
                    token?: string;
                    /** @description The submitted fields. */
                    data: {
                        [key: string]: unknown;
                    };
                };
                /** @description A request for money, a payment, or a PIX key. */
                payment?: {
                    /**
                     * @description What it is: a request for money, a payment, the state of an order.
                     * @enum {string}
                     */
                    kind: "request" | "payment" | "declined" | "canceled" | "invitation" | "order" | "pix";
                    /** @description Amount. */
                    amount?: string;
                    /** @description Price of all items, where `amount` holds more. */
                    subtotal?: string;
                    /** @description Discount that `amount` holds. */
                    discount?: string;
                    /** @description Shipping that `amount` holds. */
                    shipping?: string;
                    /** @description Tax that `amount` holds. */
                    tax?: string;
                    /** @description Currency, such as `BRL`. */
                    currency?: string;
                    /** @description How it is paid, as the channel spells it. */
                    method?: string;
                    /** @description The channel's id of the transaction, or of the stored card. */
                    transactionId?: string;
                    /** @description The last digits of the card. */
                    lastDigits?: string;
                    /**
                     * Format: date-time
                     * @description When it was paid, or chosen to be.
                     */
                    paidAt?: string;
                    /** @description State of the payment, as the channel spells it. */
                    status?: string;
                    /** @description State of the order, as the channel spells it. */
                    orderStatus?: string;
                    /** @description Reference of the payment or order. */
                    referenceId?: string;
                    /** @description What was written beside it. */
                    note?: string;
                    /**
                     * Format: date-time
                     * @description When the request ends.
                     */
                    expiresAt?: string;
                    /** @description The PIX key. */
                    key?: string;
                    /** @description Kind of the PIX key. */
                    keyType?: string;
                    /** @description Who is to receive it. */
                    receiver?: string;
                    /** @description The products of the order. */
                    items?: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description How many of it. */
                        quantity?: number;
                        /** @description Price of one. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                    }[];
                };
                /** @description A poll. */
                poll?: {
                    /** @description The question. */
                    question: string;
                    /** @description What can be voted for. */
                    options: string[];
                    /** @description How many may be chosen; 0 for any number. */
                    maxOptions?: number;
                };
                /** @description A vote in a poll. */
                pollVote?: {
                    /** @description The channel's id of the poll's message; `quotedMessageId` is ours. */
                    pollId?: string;
                    /** @description All that the person chooses now; none takes the vote back. */
                    options: string[];
                };
                /** @description An invitation to an event. */
                event?: {
                    /** @description Name of the event. */
                    name: string;
                    /** @description Description of the event. */
                    description?: string;
                    /**
                     * Format: date-time
                     * @description When it begins.
                     */
                    startsAt?: string;
                    /**
                     * Format: date-time
                     * @description When it ends.
                     */
                    endsAt?: string;
                    /** @description Where it is. */
                    place?: string;
                    /** @description Web address to join by. */
                    url?: string;
                    /**
                     * @description The event is canceled.
                     * @constant
                     */
                    isCanceled?: true;
                };
                /** @description An answer to an invitation. */
                eventAnswer?: {
                    /** @description The channel's id of the event's message; `quotedMessageId` is ours. */
                    eventId?: string;
                    /** @description `going`, `not_going`, `maybe`, or the channel's word. */
                    answer: string;
                };
                /** @description A template, buttons or a list that another business has sent. */
                menu?: {
                    /** @description Header. */
                    title?: string;
                    /** @description Text. */
                    body?: string;
                    /** @description Footer. */
                    footer?: string;
                    /** @description The channel's address of its picture, video or document. */
                    mediaUrl?: string;
                    /** @description Links and options, in their order. */
                    items: {
                        /**
                         * @description What a tap does.
                         * @enum {string}
                         */
                        kind: "reply" | "link" | "phone" | "code" | "row" | "other";
                        /** @description Label. */
                        title?: string;
                        /** @description Id of the option. */
                        id?: string;
                        /** @description Second line of a row. */
                        description?: string;
                        /** @description Web address that it opens. */
                        url?: string;
                        /** @description Phone that it calls. */
                        phone?: string;
                        /** @description Text that it copies. */
                        code?: string;
                    }[];
                };
                /** @description An invitation to a group or a channel. */
                groupInvite?: {
                    /** @description The channel's id of the group. */
                    groupId?: string;
                    /** @description Name of the group. */
                    name?: string;
                    /** @description Code to join by. */
                    code?: string;
                    /**
                     * Format: date-time
                     * @description When the invitation ends.
                     */
                    expiresAt?: string;
                };
                /** @description A call that nobody answered. */
                call?: {
                    /**
                     * @description Kind of the call.
                     * @enum {string}
                     */
                    kind: "voice" | "video";
                    /** @description The channel's id of the call. */
                    callId?: string;
                };
                /** @description The link that the text shows a preview of. */
                preview?: {
                    /** @description The address. */
                    url?: string;
                    /** @description Title of the page. */
                    title?: string;
                    /** @description Description of the page. */
                    description?: string;
                };
                /** @description What surrounds the message. */
                context?: {
                    /**
                     * @description The message was forwarded.
                     * @constant
                     */
                    isForwarded?: true;
                    /**
                     * @description The message was forwarded many times.
                     * @constant
                     */
                    isFrequentlyForwarded?: true;
                    /**
                     * @description It answers a status of ours.
                     * @constant
                     */
                    isStatusReply?: true;
                    /**
                     * @description It was sent to a broadcast list.
                     * @constant
                     */
                    isBroadcast?: true;
                    /** @description Who is mentioned: phones, or the channel's ids. */
                    mentions?: string[];
                    /** @description After how long it disappears at the person's phone. */
                    expiresInSeconds?: number;
                };
                /** @description The ad or post that brought the person. */
                referral?: {
                    /** @description `ad` or `post`, as the channel spells it. */
                    sourceType?: string;
                    /** @description Id of the ad or post. */
                    sourceId?: string;
                    /** @description Web address of the ad or post. */
                    sourceUrl?: string;
                    /** @description Headline of the ad. */
                    headline?: string;
                    /** @description Text of the ad. */
                    body?: string;
                    /** @description Id of the click, for reports to the advertiser. */
                    clickId?: string;
                    /** @description The channel's address of the ad's picture or video. */
                    mediaUrl?: string;
                    /** @description The channel's address of the ad's picture, or of its video's. */
                    imageUrl?: string;
                    /** @description The channel's address of the ad's video. */
                    videoUrl?: string;
                    /** @description `image` or `video`. */
                    mediaType?: string;
                    /** @description What the ad greeted the person with. */
                    welcomeMessage?: string;
                };
                /** @description What the channel says is wrong: why a file is missing, for instance. */
                errors?: {
                    /** @description The channel's code. */
                    code?: string;
                    /** @description The channel's words. */
                    title?: string;
                    /** @description More of its words. */
                    details?: string;
                }[];
                /** @description The channel's name of a kind of message that it does not pass on. */
                unsupportedType?: string;
                /** @description The channel's id of the group that the message was written in. */
                groupId?: string;
                /**
                 * @description The file can be seen once at the person's phone.
                 * @constant
                 */
                isViewOnce?: true;
                /**
                 * @description The video plays as a GIF.
                 * @constant
                 */
                isGif?: true;
                /**
                 * @description It is from before the number was connected: the business's phone has handed it over. No event told it.
                 * @constant
                 */
                isImported?: true;
                /** @description What stands above the text: a text, or the kind of the message's file. */
                header?: {
                    /** @description The text above. */
                    text?: string;
                    /**
                     * @description Kind of the file above.
                     * @enum {string}
                     */
                    type?: "image" | "video" | "document";
                };
                /** @description The options to choose from, in one list or in sections. */
                optionList?: {
                    /** @description Title of the list. */
                    title: string;
                    /** @description Text of the button that opens the list. */
                    buttonLabel: string;
                    /** @description The options. */
                    options?: {
                        /** @description Id of the option. */
                        id: string;
                        /** @description Title of the option. */
                        title: string;
                        /** @description Second line of the option. */
                        description?: string;
                    }[];
                    /** @description The sections, in place of `options`. */
                    sections?: {
                        /** @description Title of the section. */
                        title: string;
                        /** @description The options. */
                        options: {
                            /** @description Id of the option. */
                            id: string;
                            /** @description Title of the option. */
                            title: string;
                            /** @description Second line of the option. */
                            description?: string;
                        }[];
                    }[];
                };
                /** @description The buttons to choose from. */
                buttons?: {
                    /** @description Id of the button. */
                    id: string;
                    /** @description Title of the button. */
                    title: string;
                }[];
                /** @description The button that opens a web address. */
                linkButton?: {
                    /** @description Title of the button. */
                    title: string;
                    /** @description The address, https. */
                    url: string;
                };
                /** @description The small text below. */
                footer?: string;
                /** @description Whether the channel shows a preview of a link. */
                linkPreview?: boolean;
                /** @description Whether the file can be seen once only. */
                viewOnce?: boolean;
                /**
                 * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
                 * @enum {string}
                 */
                rendering?: "native" | "text";
                /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
                reduced?: string[];
                /**
                 * Format: uuid
                 * @description The message that this one answers; null for none, and for one that this service has not stored.
                 */
                quotedMessageId: string | null;
                /** @description The provider's id of the message that this one answers; null for none. */
                quotedProviderMessageId: string | null;
                /** @description Whether the chat is a group. */
                isGroup: boolean;
                /** @description The provider's name of the chat. */
                chatName: string | null;
                /** @description Who wrote the message in a group, by all that the provider tells; null for what is not from a group. */
                author: {
                    /** @description The author's name. */
                    name?: string;
                    /** @description The author's phone. */
                    phone?: string;
                    /** @description The author's user id at the official channel. */
                    userId?: string;
                    /** @description The author's username, in lower case and without `@`. */
                    username?: string;
                    /** @description The author's hidden identity at a gateway. */
                    lid?: string;
                } | null;
                /** @description Who sent it, as the sending call said. */
                sentBy: string | null;
                /** @description Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells. */
                isTypedOnPhone: boolean;
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId: string | null;
                /**
                 * Format: uuid
                 * @description The batch that the message belongs to.
                 */
                batchId: string | null;
                /**
                 * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
                 * @enum {string}
                 */
                purpose: "marketing" | "utility" | "authentication" | "service";
                /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
                cancelKey: string | null;
                /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
                metadata: {
                    [key: string]: string;
                };
                /**
                 * Format: uuid
                 * @description Id of the message's file at media-api; null for none.
                 */
                mediaId: string | null;
                /**
                 * @description `pending`: the file is being fetched from the provider; `stored`; `failed`: it could not be fetched; `expired`: it is gone. Null for no file of ours.
                 * @enum {string|null}
                 */
                mediaStatus: "pending" | "stored" | "failed" | "expired" | null;
                /** @description `mediaUrl` of the call, if it had one; null for a file of ours. */
                mediaUrl: string | null;
                /** @description File name of a document, as the contact sees it. */
                mediaFilename: string | null;
                /** @description Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known. */
                mediaMimeType: string | null;
                /** @description Size of the file in bytes; null while it is not known. */
                mediaSize: number | null;
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /**
                 * Format: uuid
                 * @description The conversation's UUID.
                 */
                conversationId: string;
                /** @description The provider's id of the message; null until the provider accepts the message. */
                providerMessageId: string | null;
                /** @description What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other. */
                channelStatus: string | null;
                /** @description How the official channel bills the message, told with its delivery; else null. */
                pricing: {
                    /** @description `regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells. */
                    type: string | null;
                    /** @description What it is billed as: `service`, `utility`, `marketing`, or the channel's word. */
                    category: string;
                    /** @description The channel's pricing model, such as `PMP`; null until it tells. */
                    model: string | null;
                    /** @description The market of the workspace's rates that the person's phone belongs to. */
                    market: string | null;
                    /**
                     * @description Who says so: the channel, or this service by the template's category until the channel tells.
                     * @enum {string}
                     */
                    source: "channel" | "derived";
                    /** @description What has opened the channel's conversation; newer versions of it do not tell. */
                    conversationOrigin?: string;
                } | null;
                /** @description What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways. */
                estimatedCost: {
                    /** @description Decimal text of the currency's unit. */
                    amount: string;
                    /** @description Currency of the workspace's rates, such as `USD`. */
                    currency: string;
                } | null;
                /**
                 * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
                 * @enum {string}
                 */
                sentAs?: "message" | "direct_send" | "template" | "invitation";
                /** @description The template that goes in the message's place, or as an invitation. */
                template?: {
                    /**
                     * Format: uuid
                     * @description Id of the template.
                     */
                    templateId: string;
                    /** @description Name of the template. */
                    name: string;
                };
                /**
                 * Format: uuid
                 * @description The invitation for whose answer the message waits, or has waited.
                 */
                invitationId?: string;
                /**
                 * Format: uuid
                 * @description Of an invitation: the first message that waits for its answer.
                 */
                invitationFor?: string;
                /** @description Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known. */
                groupReceipts?: {
                    /** @description The member's phone. */
                    phone?: string;
                    /** @description The member's user id at the official channel. */
                    userId?: string;
                    /** @description The member's hidden identity at a gateway. */
                    lid?: string;
                    /**
                     * Format: date-time
                     * @description When it reached the member's phone, at the latest.
                     */
                    deliveredAt: string;
                    /**
                     * Format: date-time
                     * @description When the member read it; null for not yet.
                     */
                    readAt: string | null;
                }[];
                /**
                 * Format: date-time
                 * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
                 */
                scheduledFor: string | null;
                /**
                 * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
                 * @enum {string|null}
                 */
                heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
                /**
                 * Format: date-time
                 * @description What has not left by then is never sent and becomes `expired`; null for no end.
                 */
                expiresAt: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time at which the provider accepted the message.
                 */
                sentAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the message reached the contact's device.
                 */
                deliveredAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
                 */
                readAt: string | null;
                /**
                 * Format: date-time
                 * @description Time at which sending failed for good.
                 */
                failedAt: string | null;
                /**
                 * Format: date-time
                 * @description When the message was edited last, by a person or by a call; null for never. `message` has the new words.
                 */
                editedAt: string | null;
                /**
                 * Format: date-time
                 * @description When it was told that the message is deleted for everyone, by a person or for a call; null for never.
                 */
                deletedAt: string | null;
                /** @description Number of attempts. */
                attempts: number;
                /** @description Error of the last failed attempt; null when none has failed. */
                lastError: {
                    /** @description The provider's error code, or a code of this service when the provider sent none. */
                    code: string;
                    /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                    message: string;
                } | null;
                /** @description The last edit or deletion for everyone that a call asked for; left out where none did, and in events. */
                change?: {
                    /**
                     * @description What was asked for.
                     * @enum {string}
                     */
                    kind: "edit" | "delete";
                    /**
                     * @description `done`: the provider took it, or told it. `refused`: nothing was changed. `unknown`: the provider may or may not have done it; it is not asked again by itself, and its own word settles it.
                     * @enum {string}
                     */
                    status: "under_way" | "done" | "refused" | "unknown";
                    /** @description The words of an edit; null of a deletion. */
                    message: string | null;
                    /**
                     * Format: date-time
                     * @description When it was asked for.
                     */
                    requestedAt: string;
                    /** @description Why it is refused or unknown; null otherwise. */
                    error: {
                        /** @description The provider's code, or ours. */
                        code: string;
                        /** @description The provider's words, or ours. */
                        message: string;
                    } | null;
                };
                /** @description What the message holds beside its words, such as options; null for none. */
                content: {
                    [key: string]: unknown;
                } | null;
                /** @description The message's file; null for none. */
                media: {
                    /** @description The file's name. */
                    filename: string | null;
                    /** @description What the file is. */
                    mimeType: string | null;
                    /** @description Its size in bytes. */
                    size: number | null;
                    /** @description SHA-256 of its content, in hexadecimal. */
                    sha256: string | null;
                    /** @description What is said in a voice message. */
                    transcript: string | null;
                } | null;
            }[];
            /** @description The same person at other instances; with `scope=workspace` alone. */
            otherInstances?: {
                /**
                 * Format: uuid
                 * @description The other instance.
                 */
                instanceId: string;
                /** @description Its name. */
                instanceName: string;
                /** @description The contact, with every field. */
                contact: {
                    /**
                     * Format: uuid
                     * @description The contact's UUID. The UUID of a merged contact means the survivor.
                     */
                    contactId: string;
                    /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
                    phone: string | null;
                    /** @description Name. */
                    name: string | null;
                    /** @description E-mail address. */
                    email: string | null;
                    /** @description Company. */
                    company: string | null;
                    /** @description Job title. */
                    jobTitle: string | null;
                    /** @description Free-form notes. */
                    notes: string | null;
                    /** @description Names of tags to add. Unknown tags are created. */
                    tags: string[];
                    /** @description Campaign source (UTM). */
                    utmSource: string | null;
                    /** @description Campaign medium (UTM). */
                    utmMedium: string | null;
                    /** @description Campaign name (UTM). */
                    utmCampaign: string | null;
                    /** @description Custom fields chosen by the caller, at most 32 KiB as JSON. */
                    customLabels: {
                        [key: string]: unknown;
                    };
                    /** @description Whether the contact is a favorite. */
                    isFavorite: boolean;
                    /** @description Whether the contact is archived. */
                    isArchived: boolean;
                    /** @description Whether the contact is blocked: sending to a blocked contact is rejected. */
                    isBlocked: boolean;
                    /** @description How the contact came to be: `api` or `inbound`. */
                    origin: string;
                    /** @description The contact's consent to marketing. */
                    consent: {
                        /**
                         * @description Whether the contact wants marketing messages.
                         * @enum {string}
                         */
                        marketing: "granted" | "denied" | "unknown";
                        /**
                         * Format: date-time
                         * @description Since when; null while nothing is known.
                         */
                        at: string | null;
                        /** @description Who told it: `api` or what the call gave, `keyword`, `user_preferences` or `131050` of the channel; null while nothing is known. */
                        source: string | null;
                    };
                    /** @description By what the contact is known; `provenAt` is null for what the API gave and nobody has proven. */
                    identities: {
                        /**
                         * @description Kind of the identity.
                         * @enum {string}
                         */
                        kind: "phone" | "lid" | "user_id" | "parent_user_id" | "username";
                        /** @description The phone, the LID or the user id. */
                        value: string;
                        /**
                         * Format: date-time
                         * @description When the channel last showed that it is the contact's.
                         */
                        provenAt: string | null;
                    }[];
                    /** @description The official channel's 24 hours after the contact's last message that was no reaction. Gateways have none: always open. */
                    window: {
                        /** @description Whether a free-form message may be sent now. */
                        isOpen: boolean;
                        /**
                         * Format: date-time
                         * @description When it closes or has closed; null before the contact's first message, and on gateways.
                         */
                        closesAt: string | null;
                        /**
                         * Format: date-time
                         * @description While the channel bills nothing: 72 hours from the first answer within 24 hours of a message that an ad or post brought. Null for none now. It does not open the window.
                         */
                        freeUntil: string | null;
                    };
                    /** @description The ad or post that brought the person. */
                    referral: {
                        /** @description `ad` or `post`, as the channel spells it. */
                        sourceType?: string;
                        /** @description Id of the ad or post. */
                        sourceId?: string;
                        /** @description Web address of the ad or post. */
                        sourceUrl?: string;
                        /** @description Headline of the ad. */
                        headline?: string;
                        /** @description Text of the ad. */
                        body?: string;
                        /** @description Id of the click, for reports to the advertiser. */
                        clickId?: string;
                        /** @description The channel's address of the ad's picture or video. */
                        mediaUrl?: string;
                        /** @description The channel's address of the ad's picture, or of its video's. */
                        imageUrl?: string;
                        /** @description The channel's address of the ad's video. */
                        videoUrl?: string;
                        /** @description `image` or `video`. */
                        mediaType?: string;
                        /** @description What the ad greeted the person with. */
                        welcomeMessage?: string;
                    } | null;
                    /** @description The channel's address of the person's picture, as it was told last; it may have ended since. Null where none was told. */
                    profilePictureUrl: string | null;
                    /**
                     * Format: date-time
                     * @description Until when the AI agent keeps silent; null when it is not paused.
                     */
                    aiAgentPausedUntil: string | null;
                    /** @description The contact's conversation; null before the first operation that needs one. */
                    conversation: {
                        /**
                         * Format: uuid
                         * @description The conversation's UUID.
                         */
                        conversationId: string;
                        /**
                         * @description Status of the message.
                         * @enum {string}
                         */
                        status: "open" | "closed" | "pending";
                        /**
                         * Format: uuid
                         * @description UUID of the operator to whom the conversation is assigned now.
                         */
                        assignedTo: string | null;
                        /**
                         * Format: uuid
                         * @description The department's UUID; when omitted, the department does not change.
                         */
                        departmentId: string | null;
                        /** @description Whether the contact is in the operator's portfolio. */
                        portfolio: boolean;
                        /**
                         * Format: date-time
                         * @description When the last message was sent or received.
                         */
                        lastMessageAt: string | null;
                    } | null;
                    /**
                     * Format: date-time
                     * @description Time of creation.
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description Last change of the contact or its conversation, messages included.
                     */
                    updatedAt: string;
                };
                /** @description Contacts that were merged into this one. */
                mergedContactIds: string[];
                /** @description What the AI agent knows beyond the messages; null without a session. */
                agentSession: {
                    /** @description `externalContext` of the calls, merged. */
                    collectedData: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: date-time
                     * @description Time of creation.
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description Time of the last change.
                     */
                    updatedAt: string;
                } | null;
                /** @description Every statement about marketing, oldest first. */
                consentLog: {
                    /**
                     * @description Whether the contact wants marketing messages.
                     * @enum {string}
                     */
                    marketing: "granted" | "denied" | "unknown";
                    /**
                     * Format: date-time
                     * @description When it was said.
                     */
                    at: string;
                    /** @description Who said so: `api` or what the caller gave; `keyword`, `user_preferences` or `131050` where the person said it in the channel; `erasure` where it was said before an erasure. */
                    source: string;
                    /** @description What the caller gave as evidence. */
                    evidence: (string | {
                        [key: string]: unknown;
                    }) | null;
                    /**
                     * Format: uuid
                     * @description The message that said it, where it was a keyword.
                     */
                    messageId: string | null;
                    /**
                     * Format: date-time
                     * @description When it was recorded.
                     */
                    recordedAt: string;
                }[];
                /** @description Internal notes, oldest first. */
                notes: {
                    /**
                     * Format: uuid
                     * @description The note's UUID.
                     */
                    noteId: string;
                    /** @description The note; only operators can see it. */
                    note: string;
                    /**
                     * Format: date-time
                     * @description Time of creation.
                     */
                    createdAt: string;
                }[];
                /** @description Transfers between operators, oldest first. */
                transfers: {
                    /**
                     * Format: uuid
                     * @description UUID of the operator until then.
                     */
                    fromOperatorId: string;
                    /**
                     * Format: uuid
                     * @description UUID of the operator since then; null for a transfer to nobody.
                     */
                    toOperatorId: string | null;
                    /**
                     * Format: date-time
                     * @description Time of creation.
                     */
                    createdAt: string;
                }[];
                /** @description Every message: first those that have not left, then the others, oldest first. */
                messages: {
                    /**
                     * Format: uuid
                     * @description The message's UUID in this service.
                     */
                    messageId: string;
                    /**
                     * @description `inbound` for received messages, `outbound` for sent ones.
                     * @enum {string}
                     */
                    direction: "inbound" | "outbound";
                    /**
                     * @description Status of the message.
                     * @enum {string}
                     */
                    status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired" | "received";
                    /** @description Type of the message. */
                    messageType: string;
                    /** @description The text; for media the caption, for an option list the body. */
                    message: string | null;
                    /** @description The option or the button that the contact selected. */
                    choice: {
                        /** @description Id of the option. */
                        id?: string | null;
                        /** @description Title of the option. */
                        title: string;
                        /** @description The second line of a list's row. */
                        description?: string;
                    } | null;
                    /** @description A position. */
                    location?: {
                        /** @description Degrees north. */
                        latitude: number;
                        /** @description Degrees east. */
                        longitude: number;
                        /** @description Name of the place. */
                        name?: string;
                        /** @description Address of the place. */
                        address?: string;
                        /** @description Web address of the place. */
                        url?: string;
                        /**
                         * @description The position was shared live: this is where the person was at first.
                         * @constant
                         */
                        isLive?: true;
                    };
                    /** @description Contact cards. */
                    contacts?: {
                        /** @description Name on the card. */
                        name: string;
                        /** @description Phones as the card writes them. */
                        phones: string[];
                        /** @description E-mail addresses. */
                        emails?: string[];
                        /** @description Company, with department and title where the card has them. */
                        organization?: string;
                        /** @description Web addresses. */
                        urls?: string[];
                        /** @description Postal addresses, each as one line. */
                        addresses?: string[];
                        /** @description Birthday, as the card writes it. */
                        birthday?: string;
                        /** @description Where the card comes from, as the channel spells it: `contact_request` answers a request for the number. */
                        origin?: string;
                    }[];
                    /** @description A reaction to another message. */
                    reaction?: {
                        /**
                         * Format: uuid
                         * @description The message that it is to; null where that is not stored.
                         */
                        messageId: string | null;
                        /** @description The emoji; null takes the reaction back. */
                        emoji: string | null;
                    };
                    /** @description An order from the catalog. */
                    order?: {
                        /** @description Id of the catalog. */
                        catalogId?: string;
                        /** @description The channel's id of the order. */
                        orderId?: string;
                        /** @description The channel's token of the order. */
                        token?: string;
                        /** @description Title of the order. */
                        title?: string;
                        /** @description The ordered products. */
                        items: {
                            /** @description The product's id in the catalog, the seller's own where it has one. */
                            productId?: string;
                            /** @description Name of the product. */
                            name?: string;
                            /** @description How many of it. */
                            quantity?: number;
                            /** @description Price of one. */
                            price?: string;
                            /** @description Currency, such as `BRL`. */
                            currency?: string;
                        }[];
                        /** @description How many products, where the channel tells no items. */
                        itemCount?: number;
                        /** @description Price of all items. */
                        subtotal?: string;
                        /** @description Price of the order. */
                        total?: string;
                        /** @description Currency of the sums. */
                        currency?: string;
                        /** @description What the contact wrote beside it. */
                        note?: string;
                    };
                    /** @description The product of a catalog that the message shows or asks about. */
                    product?: {
                        /** @description The product's id in the catalog, the seller's own where it has one. */
                        productId?: string;
                        /** @description Id of the catalog. */
                        catalogId?: string;
                        /** @description Name of the product. */
                        name?: string;
                        /** @description Description of the product. */
                        description?: string;
                        /** @description Price. */
                        price?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                        /** @description Web address of the product. */
                        url?: string;
                        /** @description The channel's address of its picture. */
                        imageUrl?: string;
                    };
                    /** @description A submitted form. */
                    flowAnswer?: {
                        /** @description The channel's name of the form. */
                        name?: string;
                        /** @description The token that the form was sent with. */
                        token?: string;
                        /** @description The submitted fields. */
                        data: {
                            [key: string]: unknown;
                        };
                    };
                    /** @description A request for money, a payment, or a PIX key. */
                    payment?: {
                        /**
                         * @description What it is: a request for money, a payment, the state of an order.
                         * @enum {string}
                         */
                        kind: "request" | "payment" | "declined" | "canceled" | "invitation" | "order" | "pix";
                        /** @description Amount. */
                        amount?: string;
                        /** @description Price of all items, where `amount` holds more. */
                        subtotal?: string;
                        /** @description Discount that `amount` holds. */
                        discount?: string;
                        /** @description Shipping that `amount` holds. */
                        shipping?: string;
                        /** @description Tax that `amount` holds. */
                        tax?: string;
                        /** @description Currency, such as `BRL`. */
                        currency?: string;
                        /** @description How it is paid, as the channel spells it. */
                        method?: string;
                        /** @description The channel's id of the transaction, or of the stored card. */
                        transactionId?: string;
                        /** @description The last digits of the card. */
                        lastDigits?: string;
                        /**
                         * Format: date-time
                         * @description When it was paid, or chosen to be.
                         */
                        paidAt?: string;
                        /** @description State of the payment, as the channel spells it. */
                        status?: string;
                        /** @description State of the order, as the channel spells it. */
                        orderStatus?: string;
                        /** @description Reference of the payment or order. */
                        referenceId?: string;
                        /** @description What was written beside it. */
                        note?: string;
                        /**
                         * Format: date-time
                         * @description When the request ends.
                         */
                        expiresAt?: string;
                        /** @description The PIX key. */
                        key?: string;
                        /** @description Kind of the PIX key. */
                        keyType?: string;
                        /** @description Who is to receive it. */
                        receiver?: string;
                        /** @description The products of the order. */
                        items?: {
                            /** @description The product's id in the catalog, the seller's own where it has one. */
                            productId?: string;
                            /** @description Name of the product. */
                            name?: string;
                            /** @description How many of it. */
                            quantity?: number;
                            /** @description Price of one. */
                            price?: string;
                            /** @description Currency, such as `BRL`. */
                            currency?: string;
                        }[];
                    };
                    /** @description A poll. */
                    poll?: {
                        /** @description The question. */
                        question: string;
                        /** @description What can be voted for. */
                        options: string[];
                        /** @description How many may be chosen; 0 for any number. */
                        maxOptions?: number;
                    };
                    /** @description A vote in a poll. */
                    pollVote?: {
                        /** @description The channel's id of the poll's message; `quotedMessageId` is ours. */
                        pollId?: string;
                        /** @description All that the person chooses now; none takes the vote back. */
                        options: string[];
                    };
                    /** @description An invitation to an event. */
                    event?: {
                        /** @description Name of the event. */
                        name: string;
                        /** @description Description of the event. */
                        description?: string;
                        /**
                         * Format: date-time
                         * @description When it begins.
                         */
                        startsAt?: string;
                        /**
                         * Format: date-time
                         * @description When it ends.
                         */
                        endsAt?: string;
                        /** @description Where it is. */
                        place?: string;
                        /** @description Web address to join by. */
                        url?: string;
                        /**
                         * @description The event is canceled.
                         * @constant
                         */
                        isCanceled?: true;
                    };
                    /** @description An answer to an invitation. */
                    eventAnswer?: {
                        /** @description The channel's id of the event's message; `quotedMessageId` is ours. */
                        eventId?: string;
                        /** @description `going`, `not_going`, `maybe`, or the channel's word. */
                        answer: string;
                    };
                    /** @description A template, buttons or a list that another business has sent. */
                    menu?: {
                        /** @description Header. */
                        title?: string;
                        /** @description Text. */
                        body?: string;
                        /** @description Footer. */
                        footer?: string;
                        /** @description The channel's address of its picture, video or document. */
                        mediaUrl?: string;
                        /** @description Links and options, in their order. */
                        items: {
                            /**
                             * @description What a tap does.
                             * @enum {string}
                             */
                            kind: "reply" | "link" | "phone" | "code" | "row" | "other";
                            /** @description Label. */
                            title?: string;
                            /** @description Id of the option. */
                            id?: string;
                            /** @description Second line of a row. */
                            description?: string;
                            /** @description Web address that it opens. */
                            url?: string;
                            /** @description Phone that it calls. */
                            phone?: string;
                            /** @description Text that it copies. */
                            code?: string;
                        }[];
                    };
                    /** @description An invitation to a group or a channel. */
                    groupInvite?: {
                        /** @description The channel's id of the group. */
                        groupId?: string;
                        /** @description Name of the group. */
                        name?: string;
                        /** @description Code to join by. */
                        code?: string;
                        /**
                         * Format: date-time
                         * @description When the invitation ends.
                         */
                        expiresAt?: string;
                    };
                    /** @description A call that nobody answered. */
                    call?: {
                        /**
                         * @description Kind of the call.
                         * @enum {string}
                         */
                        kind: "voice" | "video";
                        /** @description The channel's id of the call. */
                        callId?: string;
                    };
                    /** @description The link that the text shows a preview of. */
                    preview?: {
                        /** @description The address. */
                        url?: string;
                        /** @description Title of the page. */
                        title?: string;
                        /** @description Description of the page. */
                        description?: string;
                    };
                    /** @description What surrounds the message. */
                    context?: {
                        /**
                         * @description The message was forwarded.
                         * @constant
                         */
                        isForwarded?: true;
                        /**
                         * @description The message was forwarded many times.
                         * @constant
                         */
                        isFrequentlyForwarded?: true;
                        /**
                         * @description It answers a status of ours.
                         * @constant
                         */
                        isStatusReply?: true;
                        /**
                         * @description It was sent to a broadcast list.
                         * @constant
                         */
                        isBroadcast?: true;
                        /** @description Who is mentioned: phones, or the channel's ids. */
                        mentions?: string[];
                        /** @description After how long it disappears at the person's phone. */
                        expiresInSeconds?: number;
                    };
                    /** @description The ad or post that brought the person. */
                    referral?: {
                        /** @description `ad` or `post`, as the channel spells it. */
                        sourceType?: string;
                        /** @description Id of the ad or post. */
                        sourceId?: string;
                        /** @description Web address of the ad or post. */
                        sourceUrl?: string;
                        /** @description Headline of the ad. */
                        headline?: string;
                        /** @description Text of the ad. */
                        body?: string;
                        /** @description Id of the click, for reports to the advertiser. */
                        clickId?: string;
                        /** @description The channel's address of the ad's picture or video. */
                        mediaUrl?: string;
                        /** @description The channel's address of the ad's picture, or of its video's. */
                        imageUrl?: string;
                        /** @description The channel's address of the ad's video. */
                        videoUrl?: string;
                        /** @description `image` or `video`. */
                        mediaType?: string;
                        /** @description What the ad greeted the person with. */
                        welcomeMessage?: string;
                    };
                    /** @description What the channel says is wrong: why a file is missing, for instance. */
                    errors?: {
                        /** @description The channel's code. */
                        code?: string;
                        /** @description The channel's words. */
                        title?: string;
                        /** @description More of its words. */
                        details?: string;
                    }[];
                    /** @description The channel's name of a kind of message that it does not pass on. */
                    unsupportedType?: string;
                    /** @description The channel's id of the group that the message was written in. */
                    groupId?: string;
                    /**
                     * @description The file can be seen once at the person's phone.
                     * @constant
                     */
                    isViewOnce?: true;
                    /**
                     * @description The video plays as a GIF.
                     * @constant
                     */
                    isGif?: true;
                    /**
                     * @description It is from before the number was connected: the business's phone has handed it over. No event told it.
                     * @constant
                     */
                    isImported?: true;
                    /** @description What stands above the text: a text, or the kind of the message's file. */
                    header?: {
                        /** @description The text above. */
                        text?: string;
                        /**
                         * @description Kind of the file above.
                         * @enum {string}
                         */
                        type?: "image" | "video" | "document";
                    };
                    /** @description The options to choose from, in one list or in sections. */
                    optionList?: {
                        /** @description Title of the list. */
                        title: string;
                        /** @description Text of the button that opens the list. */
                        buttonLabel: string;
                        /** @description The options. */
                        options?: {
                            /** @description Id of the option. */
                            id: string;
                            /** @description Title of the option. */
                            title: string;
                            /** @description Second line of the option. */
                            description?: string;
                        }[];
                        /** @description The sections, in place of `options`. */
                        sections?: {
                            /** @description Title of the section. */
                            title: string;
                            /** @description The options. */
                            options: {
                                /** @description Id of the option. */
                                id: string;
                                /** @description Title of the option. */
                                title: string;
                                /** @description Second line of the option. */
                                description?: string;
                            }[];
                        }[];
                    };
                    /** @description The buttons to choose from. */
                    buttons?: {
                        /** @description Id of the button. */
                        id: string;
                        /** @description Title of the button. */
                        title: string;
                    }[];
                    /** @description The button that opens a web address. */
                    linkButton?: {
                        /** @description Title of the button. */
                        title: string;
                        /** @description The address, https. */
                        url: string;
                    };
                    /** @description The small text below. */
                    footer?: string;
                    /** @description Whether the channel shows a preview of a link. */
                    linkPreview?: boolean;
                    /** @description Whether the file can be seen once only. */
                    viewOnce?: boolean;
                    /**
                     * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
                     * @enum {string}
                     */
                    rendering?: "native" | "text";
                    /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
                    reduced?: string[];
                    /**
                     * Format: uuid
                     * @description The message that this one answers; null for none, and for one that this service has not stored.
                     */
                    quotedMessageId: string | null;
                    /** @description The provider's id of the message that this one answers; null for none. */
                    quotedProviderMessageId: string | null;
                    /** @description Whether the chat is a group. */
                    isGroup: boolean;
                    /** @description The provider's name of the chat. */
                    chatName: string | null;
                    /** @description Who wrote the message in a group, by all that the provider tells; null for what is not from a group. */
                    author: {
                        /** @description The author's name. */
                        name?: string;
                        /** @description The author's phone. */
                        phone?: string;
                        /** @description The author's user id at the official channel. */
                        userId?: string;
                        /** @description The author's username, in lower case and without `@`. */
                        username?: string;
                        /** @description The author's hidden identity at a gateway. */
                        lid?: string;
                    } | null;
                    /** @description Who sent it, as the sending call said. */
                    sentBy: string | null;
                    /** @description Whether an employee typed the message on the business's own phone, or another program sent it (`sentBy` is `other_app`), as the provider tells. */
                    isTypedOnPhone: boolean;
                    /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                    cardId: string | null;
                    /**
                     * Format: uuid
                     * @description The batch that the message belongs to.
                     */
                    batchId: string | null;
                    /**
                     * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
                     * @enum {string}
                     */
                    purpose: "marketing" | "utility" | "authentication" | "service";
                    /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
                    cancelKey: string | null;
                    /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. */
                    metadata: {
                        [key: string]: string;
                    };
                    /**
                     * Format: uuid
                     * @description Id of the message's file at media-api; null for none.
                     */
                    mediaId: string | null;
                    /**
                     * @description `pending`: the file is being fetched from the provider; `stored`; `failed`: it could not be fetched; `expired`: it is gone. Null for no file of ours.
                     * @enum {string|null}
                     */
                    mediaStatus: "pending" | "stored" | "failed" | "expired" | null;
                    /** @description `mediaUrl` of the call, if it had one; null for a file of ours. */
                    mediaUrl: string | null;
                    /** @description File name of a document, as the contact sees it. */
                    mediaFilename: string | null;
                    /** @description Type of the file as the provider declares it; once the file is stored, what it is. Null while it is not known. */
                    mediaMimeType: string | null;
                    /** @description Size of the file in bytes; null while it is not known. */
                    mediaSize: number | null;
                    /**
                     * Format: uuid
                     * @description The contact's UUID. The UUID of a merged contact means the survivor.
                     */
                    contactId: string;
                    /**
                     * Format: uuid
                     * @description The conversation's UUID.
                     */
                    conversationId: string;
                    /** @description The provider's id of the message; null until the provider accepts the message. */
                    providerMessageId: string | null;
                    /** @description What the provider says of a message that it has accepted and keeps back for now: `held_for_quality_assessment` or `paused`. Null for any other. */
                    channelStatus: string | null;
                    /** @description How the official channel bills the message, told with its delivery; else null. */
                    pricing: {
                        /** @description `regular`, `free_customer_service`, `free_entry_point`, or the channel's word; null until it tells. */
                        type: string | null;
                        /** @description What it is billed as: `service`, `utility`, `marketing`, or the channel's word. */
                        category: string;
                        /** @description The channel's pricing model, such as `PMP`; null until it tells. */
                        model: string | null;
                        /** @description The market of the workspace's rates that the person's phone belongs to. */
                        market: string | null;
                        /**
                         * @description Who says so: the channel, or this service by the template's category until the channel tells.
                         * @enum {string}
                         */
                        source: "channel" | "derived";
                        /** @description What has opened the channel's conversation; newer versions of it do not tell. */
                        conversationOrigin?: string;
                    } | null;
                    /** @description What the delivery cost by the workspace's rates; null until it is told, where no rate is known, and for gateways. */
                    estimatedCost: {
                        /** @description Decimal text of the currency's unit. */
                        amount: string;
                        /** @description Currency of the workspace's rates, such as `USD`. */
                        currency: string;
                    } | null;
                    /**
                     * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
                     * @enum {string}
                     */
                    sentAs?: "message" | "direct_send" | "template" | "invitation";
                    /** @description The template that goes in the message's place, or as an invitation. */
                    template?: {
                        /**
                         * Format: uuid
                         * @description Id of the template.
                         */
                        templateId: string;
                        /** @description Name of the template. */
                        name: string;
                    };
                    /**
                     * Format: uuid
                     * @description The invitation for whose answer the message waits, or has waited.
                     */
                    invitationId?: string;
                    /**
                     * Format: uuid
                     * @description Of an invitation: the first message that waits for its answer.
                     */
                    invitationFor?: string;
                    /** @description Who of a group has got or read the message, at most 32 members, where the provider names them; left out where none is known. */
                    groupReceipts?: {
                        /** @description The member's phone. */
                        phone?: string;
                        /** @description The member's user id at the official channel. */
                        userId?: string;
                        /** @description The member's hidden identity at a gateway. */
                        lid?: string;
                        /**
                         * Format: date-time
                         * @description When it reached the member's phone, at the latest.
                         */
                        deliveredAt: string;
                        /**
                         * Format: date-time
                         * @description When the member read it; null for not yet.
                         */
                        readAt: string | null;
                    }[];
                    /**
                     * Format: date-time
                     * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
                     */
                    scheduledFor: string | null;
                    /**
                     * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
                     * @enum {string|null}
                     */
                    heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
                    /**
                     * Format: date-time
                     * @description What has not left by then is never sent and becomes `expired`; null for no end.
                     */
                    expiresAt: string | null;
                    /**
                     * Format: date-time
                     * @description Time of creation.
                     */
                    createdAt: string;
                    /**
                     * Format: date-time
                     * @description Time at which the provider accepted the message.
                     */
                    sentAt: string | null;
                    /**
                     * Format: date-time
                     * @description Time at which the message reached the contact's device.
                     */
                    deliveredAt: string | null;
                    /**
                     * Format: date-time
                     * @description Time at which the contact read the message; of a received one, at which the channel was told that it is read.
                     */
                    readAt: string | null;
                    /**
                     * Format: date-time
                     * @description Time at which sending failed for good.
                     */
                    failedAt: string | null;
                    /**
                     * Format: date-time
                     * @description When the message was edited last, by a person or by a call; null for never. `message` has the new words.
                     */
                    editedAt: string | null;
                    /**
                     * Format: date-time
                     * @description When it was told that the message is deleted for everyone, by a person or for a call; null for never.
                     */
                    deletedAt: string | null;
                    /** @description Number of attempts. */
                    attempts: number;
                    /** @description Error of the last failed attempt; null when none has failed. */
                    lastError: {
                        /** @description The provider's error code, or a code of this service when the provider sent none. */
                        code: string;
                        /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                        message: string;
                    } | null;
                    /** @description The last edit or deletion for everyone that a call asked for; left out where none did, and in events. */
                    change?: {
                        /**
                         * @description What was asked for.
                         * @enum {string}
                         */
                        kind: "edit" | "delete";
                        /**
                         * @description `done`: the provider took it, or told it. `refused`: nothing was changed. `unknown`: the provider may or may not have done it; it is not asked again by itself, and its own word settles it.
                         * @enum {string}
                         */
                        status: "under_way" | "done" | "refused" | "unknown";
                        /** @description The words of an edit; null of a deletion. */
                        message: string | null;
                        /**
                         * Format: date-time
                         * @description When it was asked for.
                         */
                        requestedAt: string;
                        /** @description Why it is refused or unknown; null otherwise. */
                        error: {
                            /** @description The provider's code, or ours. */
                            code: string;
                            /** @description The provider's words, or ours. */
                            message: string;
                        } | null;
                    };
                    /** @description What the message holds beside its words, such as options; null for none. */
                    content: {
                        [key: string]: unknown;
                    } | null;
                    /** @description The message's file; null for none. */
                    media: {
                        /** @description The file's name. */
                        filename: string | null;
                        /** @description What the file is. */
                        mimeType: string | null;
                        /** @description Its size in bytes. */
                        size: number | null;
                        /** @description SHA-256 of its content, in hexadecimal. */
                        sha256: string | null;
                        /** @description What is said in a voice message. */
                        transcript: string | null;
                    } | null;
                }[];
            }[];
        };
        GetErasureResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The erasure.
             */
            erasureId: string;
            /**
             * Format: uuid
             * @description The contact whose person was erased.
             */
            contactId: string;
            /**
             * @description `done`: nothing of the person is left.
             * @enum {string}
             */
            status: "pending" | "done";
            /** @description How many rows of each kind are gone, or were emptied of what was about the person. */
            counts: {
                /** @description Messages, sent and received. */
                messages: number;
                /** @description Internal notes. */
                notes: number;
                /** @description Files. */
                media: number;
                /** @description Events of the feed. */
                events: number;
                /** @description Webhook deliveries of those events, and receivers' answers that named the person. */
                deliveries: number;
                /** @description Payloads of the provider's webhooks. */
                providerPayloads: number;
                /** @description E-mails and other work of the outbox. */
                outboxPayloads: number;
                /** @description Kept answers of calls with an Idempotency-Key. */
                idempotencyBodies: number;
            };
        };
        MergeContactsRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /**
             * Format: uuid
             * @description The contact that is merged; in the response the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The contact that survives: another one.
             */
            intoContactId: string;
        };
        MergeContactsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact that is merged; in the response the survivor.
             */
            contactId: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        AssignConversationRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Operator to assign the conversation to: e-mail address or UUID. */
            assignTo: string;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio?: boolean;
            /**
             * Format: uuid
             * @description The department's UUID; when omitted, the department does not change.
             */
            departmentId?: string;
        };
        AssignConversationResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description UUID of the operator to whom the conversation is assigned now.
             */
            assignedTo: string;
            /**
             * Format: uuid
             * @description UUID of the previous operator; null when there was none.
             */
            previousAssignedTo: string | null;
            /** @description Whether the contact is in the operator's portfolio. */
            portfolio: boolean;
            /** @description Whether the conversation was transferred from one operator to another. */
            transferred: boolean;
            /**
             * Format: uuid
             * @description The department's UUID; when omitted, the department does not change.
             */
            departmentId: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        UnassignConversationRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
        };
        UnassignConversationResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Always null: the conversation has no operator now. */
            assignedTo: null;
            /**
             * Format: uuid
             * @description UUID of the operator until now; null when there was none.
             */
            previousAssignedTo: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListConversationsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: ({
                /** Format: uuid */
                conversationId: string;
                /** Format: uuid */
                contactId: string;
                contact: {
                    /** Format: uuid */
                    contactId: string;
                    phone: string | null;
                    name: string | null;
                };
                /** @enum {string} */
                status: "open" | "closed" | "pending";
                /** Format: uuid */
                assignedTo: string | null;
                /** Format: uuid */
                departmentId: string | null;
                portfolio: boolean;
                awaitingReply: boolean;
                /** Format: date-time */
                lastMessageAt: string | null;
                /** @description The ad or post that brought the person. */
                referral: {
                    /** @description `ad` or `post`, as the channel spells it. */
                    sourceType?: string;
                    /** @description Id of the ad or post. */
                    sourceId?: string;
                    /** @description Web address of the ad or post. */
                    sourceUrl?: string;
                    /** @description Headline of the ad. */
                    headline?: string;
                    /** @description Text of the ad. */
                    body?: string;
                    /** @description Id of the click, for reports to the advertiser. */
                    clickId?: string;
                    /** @description The channel's address of the ad's picture or video. */
                    mediaUrl?: string;
                    /** @description The channel's address of the ad's picture, or of its video's. */
                    imageUrl?: string;
                    /** @description The channel's address of the ad's video. */
                    videoUrl?: string;
                    /** @description `image` or `video`. */
                    mediaType?: string;
                    /** @description What the ad greeted the person with. */
                    welcomeMessage?: string;
                } | null;
                /** Format: date-time */
                aiAgentPausedUntil: string | null;
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                updatedAt: string;
            } | {
                /** Format: uuid */
                contactId: string;
                /** @constant */
                isDeleted: true;
                /** Format: uuid */
                mergedInto: string | null;
                /** Format: date-time */
                updatedAt: string;
            })[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        GetConversationResponse: {
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description The contact, in brief. */
            contact: {
                /**
                 * Format: uuid
                 * @description The contact's UUID. The UUID of a merged contact means the survivor.
                 */
                contactId: string;
                /** @description The contact's phone number; null while it is unknown. */
                phone: string | null;
                /** @description The contact's name; null while it is unknown. */
                name: string | null;
            };
            /**
             * @description Status of the conversation.
             * @enum {string}
             */
            status: "open" | "closed" | "pending";
            /**
             * Format: uuid
             * @description UUID of the operator; null for none.
             */
            assignedTo: string | null;
            /**
             * Format: uuid
             * @description The department's UUID; null for none.
             */
            departmentId: string | null;
            /** @description Whether the contact is in an operator's portfolio. */
            portfolio: boolean;
            /** @description Whether the last message is the contact's. */
            awaitingReply: boolean;
            /**
             * Format: date-time
             * @description When the last message was sent or received; null for none.
             */
            lastMessageAt: string | null;
            /** @description The ad or post that brought the person. */
            referral: {
                /** @description `ad` or `post`, as the channel spells it. */
                sourceType?: string;
                /** @description Id of the ad or post. */
                sourceId?: string;
                /** @description Web address of the ad or post. */
                sourceUrl?: string;
                /** @description Headline of the ad. */
                headline?: string;
                /** @description Text of the ad. */
                body?: string;
                /** @description Id of the click, for reports to the advertiser. */
                clickId?: string;
                /** @description The channel's address of the ad's picture or video. */
                mediaUrl?: string;
                /** @description The channel's address of the ad's picture, or of its video's. */
                imageUrl?: string;
                /** @description The channel's address of the ad's video. */
                videoUrl?: string;
                /** @description `image` or `video`. */
                mediaType?: string;
                /** @description What the ad greeted the person with. */
                welcomeMessage?: string;
            } | null;
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When something that this record or its contact's shows has changed last.
             */
            updatedAt: string;
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
        };
        ListConversationNotesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description The note's UUID.
                 */
                noteId: string;
                /** @description The note; only operators can see it. */
                note: string;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ListConversationTransfersResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description UUID of the operator until then.
                 */
                fromOperatorId: string;
                /**
                 * Format: uuid
                 * @description UUID of the operator since then; null for a transfer to nobody.
                 */
                toOperatorId: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        SetConversationStatusRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /**
             * @description Status of the conversation.
             * @enum {string}
             */
            status: "open" | "closed" | "pending";
            /** @description Internal note for operators, recorded with the change. */
            internalNote?: string;
        };
        SetConversationStatusResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * @description Status of the conversation.
             * @enum {string}
             */
            status: "open" | "closed" | "pending";
            /** @description Whether a note was added. */
            noteAdded: boolean;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        AddInternalNoteRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description The note; only operators can see it. */
            note: string;
        };
        AddInternalNoteResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description The note's UUID.
             */
            noteId: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        GetAgentPauseResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID; null for an unknown phone or user id.
             */
            contactId: string | null;
            /** @description Whether the agent is paused for this contact. */
            paused: boolean;
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
        };
        SetAgentPauseRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description Whether the agent is paused for this contact. */
            paused: boolean;
            /** @description Length of the pause in minutes, at most 30 days. Default: `30`. */
            minutes?: number;
        };
        SetAgentPauseResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /** @description Whether the agent is paused for this contact. */
            paused: boolean;
            /**
             * Format: date-time
             * @description End of the AI agent's pause for this contact; null when the agent is not paused.
             */
            aiAgentPausedUntil: string | null;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        DispatchQueueResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: date-time
             * @description The instant after which the run claims no new messages.
             */
            claimsUntil: string;
        };
        ListEventsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Events, oldest first. */
            items: {
                /** @description The event's id: the same whenever and however it is told. */
                id: string;
                /**
                 * @description Type of the event.
                 * @enum {string}
                 */
                type: "message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test";
                /**
                 * Format: date-time
                 * @description Time at which it became true.
                 */
                timestamp: string;
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                sequence: number;
                /** @description The state at that moment. `isTruncated` is true where a text was cut because the event exceeded 20,000 bytes. */
                data: {
                    [key: string]: unknown;
                };
            }[];
            /** @description `after` of the next page; also returned with an empty page. */
            nextCursor: string;
            /** @description Whether there is more to read at once. */
            hasMore: boolean;
        };
        CreateEndpointRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types?: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[];
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description?: string;
        };
        CreateEndpointResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[] | null;
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description: string | null;
            /** @description Whether events are sent to it. */
            isActive: boolean;
            /**
             * @description Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time since which it is not active.
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description First failure since the last success; `null` where the last attempt succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the former secret signs too, after a rotation.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Signs the calls (Standard Webhooks): `whsec_` and base64. Only this response contains it. */
            secret: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListEndpointsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description Id of the webhook endpoint.
                 */
                endpointId: string;
                /**
                 * Format: uuid
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 */
                instanceId: string;
                /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
                url: string;
                /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
                types: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[] | null;
                /** @description A note for people, at most 200 characters; an empty text removes it. */
                description: string | null;
                /** @description Whether events are sent to it. */
                isActive: boolean;
                /**
                 * @description Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).
                 * @enum {string|null}
                 */
                disabledReason: "gone" | "failing" | null;
                /**
                 * Format: date-time
                 * @description Time since which it is not active.
                 */
                disabledAt: string | null;
                /**
                 * Format: date-time
                 * @description First failure since the last success; `null` where the last attempt succeeded.
                 */
                failingSince: string | null;
                /**
                 * Format: date-time
                 * @description Until when the former secret signs too, after a rotation.
                 */
                previousSecretUntil: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description Time of the last change.
                 */
                updatedAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        GetEndpointResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[] | null;
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description: string | null;
            /** @description Whether events are sent to it. */
            isActive: boolean;
            /**
             * @description Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time since which it is not active.
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description First failure since the last success; `null` where the last attempt succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the former secret signs too, after a rotation.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
        };
        UpdateEndpointRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url?: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types?: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[];
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description?: string;
            /** @description Whether events are sent to it. */
            isActive?: boolean;
        };
        UpdateEndpointResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[] | null;
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description: string | null;
            /** @description Whether events are sent to it. */
            isActive: boolean;
            /**
             * @description Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time since which it is not active.
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description First failure since the last success; `null` where the last attempt succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the former secret signs too, after a rotation.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        DeleteEndpointResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[] | null;
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description: string | null;
            /** @description Whether events are sent to it. */
            isActive: boolean;
            /**
             * @description Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time since which it is not active.
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description First failure since the last success; `null` where the last attempt succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the former secret signs too, after a rotation.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
        };
        RotateEndpointSecretRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description How long the former secret signs too, in seconds. Default: `86400`. */
            gracePeriodSeconds?: number;
        };
        RotateEndpointSecretResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /**
             * Format: uuid
             * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
             */
            instanceId: string;
            /** @description Where events are sent to: https and a public host, unless the process allows others (`ALLOW_PRIVATE_HOSTS`). */
            url: string;
            /** @description Types of events that the endpoint takes; all when omitted, which reads as `null`. */
            types: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[] | null;
            /** @description A note for people, at most 200 characters; an empty text removes it. */
            description: string | null;
            /** @description Whether events are sent to it. */
            isActive: boolean;
            /**
             * @description Why the service disabled it: `gone` (it answered 410) or `failing` (nothing but failures for 5 days).
             * @enum {string|null}
             */
            disabledReason: "gone" | "failing" | null;
            /**
             * Format: date-time
             * @description Time since which it is not active.
             */
            disabledAt: string | null;
            /**
             * Format: date-time
             * @description First failure since the last success; `null` where the last attempt succeeded.
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description Until when the former secret signs too, after a rotation.
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            updatedAt: string;
            /** @description Signs the calls (Standard Webhooks): `whsec_` and base64. Only this response contains it. */
            secret: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        TestEndpointRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        TestEndpointResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Whether the answer was 2xx. */
            delivered: boolean;
            /** @description HTTP status of the answer; `null` where none came. */
            status: number | null;
            /** @description Why no answer came: `timed_out`, `connection_failed`, `host_not_found`, `private_host` or `not_sent`. */
            error: string | null;
            /** @description Duration of the attempt, in milliseconds. */
            durationMs: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ListDeliveriesResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The records on this page. */
            items: {
                /**
                 * Format: uuid
                 * @description Id of the delivery: one for an event and an endpoint, however often it is sent.
                 */
                deliveryId: string;
                /**
                 * Format: uuid
                 * @description Id of the webhook endpoint.
                 */
                endpointId: string;
                /** @description Id of the event, `webhook-id` of every attempt. */
                eventId: string;
                /**
                 * @description Type of the event.
                 * @enum {string}
                 */
                type: "message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test";
                /**
                 * @description `pending` until a 2xx answer, `failed` after the last attempt.
                 * @enum {string}
                 */
                status: "pending" | "delivered" | "failed";
                /** @description The last 20 attempts, oldest first. */
                attempts: {
                    /**
                     * Format: date-time
                     * @description Time of the attempt.
                     */
                    at: string;
                    /** @description HTTP status of the answer; `null` where none came. */
                    status: number | null;
                    /** @description Why no answer came: `timed_out`, `connection_failed`, `host_not_found`, `private_host` or `not_sent`. */
                    error: string | null;
                    /** @description Duration of the attempt, in milliseconds. */
                    durationMs: number;
                    /** @description The first 1,024 bytes of the answer; `null` for an empty one. */
                    answer: string | null;
                }[];
                /**
                 * Format: date-time
                 * @description Time of the next attempt; `null` where there is none.
                 */
                nextAttemptAt: string | null;
                /**
                 * Format: date-time
                 * @description Time of creation.
                 */
                createdAt: string;
            }[];
            /** @description `cursor` of the next page; null on the last page. */
            nextCursor: string | null;
        };
        ResendDeliveryRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
        };
        ResendDeliveryResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the delivery: one for an event and an endpoint, however often it is sent.
             */
            deliveryId: string;
            /**
             * Format: uuid
             * @description Id of the webhook endpoint.
             */
            endpointId: string;
            /** @description Id of the event, `webhook-id` of every attempt. */
            eventId: string;
            /**
             * @description Type of the event.
             * @enum {string}
             */
            type: "message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test";
            /**
             * @description `pending` until a 2xx answer, `failed` after the last attempt.
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /** @description The last 20 attempts, oldest first. */
            attempts: {
                /**
                 * Format: date-time
                 * @description Time of the attempt.
                 */
                at: string;
                /** @description HTTP status of the answer; `null` where none came. */
                status: number | null;
                /** @description Why no answer came: `timed_out`, `connection_failed`, `host_not_found`, `private_host` or `not_sent`. */
                error: string | null;
                /** @description Duration of the attempt, in milliseconds. */
                durationMs: number;
                /** @description The first 1,024 bytes of the answer; `null` for an empty one. */
                answer: string | null;
            }[];
            /**
             * Format: date-time
             * @description Time of the next attempt; `null` where there is none.
             */
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ReplayEventsRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description Beginning of the time, included. */
            since: string & (unknown & unknown);
            /** @description End of the time, included; now when omitted. */
            until?: string & (unknown & unknown);
            /** @description Only these of the types that the endpoint takes; all of them when omitted. */
            types?: ("message.received" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.unconfirmed" | "message.canceled" | "message.expired" | "message.edited" | "message.deleted" | "message.reaction" | "contact.created" | "contact.updated" | "contact.merged" | "contact.identity_changed" | "contact.consent_changed" | "contact.erased" | "conversation.assigned" | "conversation.status_changed" | "agent.paused" | "agent.resumed" | "agent.needs_person" | "instance.held" | "instance.connected" | "instance.disconnected" | "instance.limit_changed" | "instance.number_changed" | "template.status_changed" | "template.category_warning" | "batch.paused" | "batch.finished" | "budget.warning" | "budget.reached" | "endpoint.disabled" | "endpoint.test")[];
        };
        ReplayEventsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of events that are sent. */
            count: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ExchangeMcpMessageResponse: {
            /** @description The method's result. */
            result?: {
                [key: string]: unknown;
            };
            /** @description Why there is none. */
            error?: {
                /** @description Code of JSON-RPC. */
                code: number;
                /** @description What is wrong. */
                message: string;
            } & {
                [key: string]: unknown;
            };
            /**
             * @description Always `2.0`.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description The request's id, which the answer repeats; absent in a notification. */
            id?: string | number | null;
        } & {
            [key: string]: unknown;
        };
        UploadMediaRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId?: string;
            /** @description https:// URL of the file: a public host, no redirects, at most 2,048 characters. The file is fetched within this call. */
            url: string;
        };
        UploadMediaResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * Format: uuid
             * @description Id of the file: for send-message, and for reading it here.
             */
            mediaId: string;
            /** @description Type of the file, by its content. */
            mimeType: string;
            /** @description Size in bytes. */
            size: number;
            /** @description SHA-256 of the content in lower-case hexadecimal. */
            sha256: string;
            /**
             * Format: date-time
             * @description When the file is deleted unless a message names it.
             */
            expiresAt: string;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ProcessAiAgentRequest: {
            /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
            instanceId: string;
            /** @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`. */
            phone?: string;
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
            userId?: string;
            /** @description The first message, sent as the agent. */
            messageText: string;
            /**
             * @description Must be true.
             * @constant
             */
            initiateConversation: true;
            /**
             * Format: uuid
             * @description Agent of the instance.
             */
            agentId?: string;
            /** @description Data from the caller's system, at most 32 KiB as JSON. The agent can use it as variables for the whole conversation. */
            externalContext?: {
                [key: string]: unknown;
            };
            /** @description Whether the message goes through the instance's paced queue. */
            queued?: boolean;
            /** @description Minimum number of seconds between this queued message and the previous one of the instance. Default: the instance's `pace`, or 30. */
            intervalSeconds?: number;
            /** @description Keys and texts of your own: at most 16, keys of 1 to 40 characters, texts of at most 200. Returned in the message's record and in its events, and never shown to the contact. The agent's later replies have none. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Why the message is sent; `service` by default. A template's own `category` counts, unless the call says `marketing`. `marketing` to a contact that has denied it is refused.
             * @enum {string}
             */
            purpose?: "marketing" | "utility" | "authentication" | "service";
            /** @description Origin of the call, chosen by the caller; stored with the message and returned in the history. It has no other effect: the message counts as sent by the agent and never pauses it. Default: `api`. Default: `"api"`. */
            sentBy?: string;
            /** @description Taken as in every sending call, and without effect: this call pauses no agent. */
            pauseAgent?: boolean;
            /** @description Earliest instant of sending, in ISO 8601 with an offset: up to 35 days ahead, not past by more than a minute, and not beside `delayMessage`. With `queued`, the message gets the slot that it would get if it were queued then. */
            sendAt?: string & (unknown & unknown);
            /** @description End of the message: what has not left by then becomes `expired` and is never sent. Must be in the future. */
            expiresAt?: string & (unknown & unknown);
            /** @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`. */
            cancelKey?: string;
            /** @description What happens on the official channel while the person's last message is more than 24 hours old, or none is known: rungs, tried from the first. A rung that cannot be taken gives way to the next; when none is left, the call is refused with `details.rungs`. Without it a closed window refuses the call. */
            outsideWindow?: {
                /**
                 * @description As a utility message without a template, where the instance has `directSend`: a text, buttons or a link button.
                 * @constant
                 */
                directSend?: "utility";
                /** @description This template goes in the message's place. `{{message}}` in a variable's value stands for the text, on one line and cut at 900 characters. */
                template?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
                /** @description This template goes now, as a message of its own, and the message waits until the person writes. */
                invite?: {
                    /**
                     * Format: uuid
                     * @description A template of this instance, or of its workspace.
                     */
                    templateId?: string;
                    /** @description With `language`, in place of `templateId`: this instance's template, then the workspace's. Several that fit are 409 `template_ambiguous`. */
                    name?: string;
                    /** @description Language of `name`. */
                    language?: string;
                    /** @description Values of the template's variables, as in send-template-message. `{{message}}` in a text stands for the message. */
                    variables?: {
                        [key: string]: unknown;
                    };
                };
            }[];
        };
        ProcessAiAgentResponse: components["schemas"]["ProcessAiAgentResponseSent"] | components["schemas"]["ProcessAiAgentResponseQueued"] | components["schemas"]["ProcessAiAgentResponseScheduled"];
        ProcessAiAgentResponseSent: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description `sent`: sent immediately. `queued`: waits in the queue. `scheduled`: a repeated call whose message waits for another attempt. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "sent";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description Agent of the instance.
             */
            agentId: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description The names of `{{name}}` in `messageText` that no variable has, and that were sent as written; left out where there are none. */
            unfilled?: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ProcessAiAgentResponseQueued: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description `sent`: sent immediately. `queued`: waits in the queue. `scheduled`: a repeated call whose message waits for another attempt. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "queued";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description Agent of the instance.
             */
            agentId: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description The names of `{{name}}` in `messageText` that no variable has, and that were sent as written; left out where there are none. */
            unfilled?: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ProcessAiAgentResponseScheduled: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /**
             * @description `sent`: sent immediately. `queued`: waits in the queue. `scheduled`: a repeated call whose message waits for another attempt. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            mode: "scheduled";
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId: string;
            /**
             * Format: uuid
             * @description Agent of the instance.
             */
            agentId: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description The names of `{{name}}` in `messageText` that no variable has, and that were sent as written; left out where there are none. */
            unfilled?: string[];
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ProcessAiAgentFailure: components["schemas"]["Error"] & {
            /**
             * Format: uuid
             * @description The contact's UUID. The UUID of a merged contact means the survivor.
             */
            contactId?: string;
            /**
             * Format: uuid
             * @description The conversation's UUID.
             */
            conversationId?: string;
            /**
             * Format: uuid
             * @description Agent of the instance.
             */
            agentId?: string;
            /**
             * Format: uuid
             * @description The message's UUID in this service.
             */
            messageId?: string;
            /** @description The provider's id of the message; null until the provider accepts the message. */
            providerMessageId?: string | null;
            /**
             * @description Status of the message.
             * @enum {string}
             */
            status?: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired";
            /**
             * Format: date-time
             * @description Time at which the message is to be sent, in the instance's time zone; null for a message sent immediately.
             */
            scheduledFor?: string | null;
            /**
             * @description Reason why the message is not sent immediately; null when there is none. `operator_hold`: an operator holds the instance's queue. `daily_limit`, `warm_up`, `new_contacts`: the day's limit of the instance's `protection` is reached, and it leaves on a later day. `budget`: the instance's `budget` is reached, and it leaves when the month ends or the budget is changed. `disconnected`: the instance has lost its connection to the channel.
             * @enum {string|null}
             */
            heldBy?: "interval" | "window" | "holiday" | "delay" | "operator_hold" | "daily_limit" | "new_contacts" | "warm_up" | "disconnected" | "awaiting_reply" | "budget" | null;
            /**
             * @description How the options or the link go out: as the channel's own (`native`), or as numbered text (`text`).
             * @enum {string}
             */
            rendering?: "native" | "text";
            /** @description Paths of what the channel does not carry, such as `contacts.0.emails`. */
            reduced?: string[];
            /**
             * @description How a message with `outsideWindow` goes: as it is, by Direct Send, as a template in its place, or after the answer to an invitation, for which it waits.
             * @enum {string}
             */
            sentAs?: "message" | "direct_send" | "template" | "invitation";
            /** @description The template that goes in the message's place, or as an invitation. */
            template?: {
                /**
                 * Format: uuid
                 * @description Id of the template.
                 */
                templateId: string;
                /** @description Name of the template. */
                name: string;
            };
            /**
             * Format: uuid
             * @description The invitation for whose answer the message waits, or has waited.
             */
            invitationId?: string;
            /** @description The names of `{{name}}` in `messageText` that no variable has, and that were sent as written; left out where there are none. */
            unfilled?: string[];
            /** @description The provider's error, without credentials. */
            details?: {
                /** @description The provider's error code, or a code of this service when the provider sent none. */
                code?: string;
                /** @description The provider's own words, for display only: in the provider's language, and subject to change without notice. */
                message?: string;
                /** @description Why the outcome is unknown. */
                reason?: string;
                /** @description The rungs of `outsideWindow`, of which none was left. */
                rungs?: {
                    /** @description `directSend`, `template` or `invite`. */
                    rung: string;
                    /** @description Why it could not be taken. */
                    reason: string;
                }[];
            };
            /** @description Whether the failure is temporary, so that the call can be repeated. */
            retryable?: boolean;
        };
        ReceiveWhatsappCloudEventsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of new events in the delivery. */
            recorded: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ReceiveZapiEventsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of new events in the delivery. */
            recorded: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        ReceiveEvolutionEventsResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description Number of new events in the delivery. */
            recorded: number;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
        SanitizePhoneNumberRequest: {
            /** @description A phone number in any format. */
            phone: string;
            /** @description Country in which the number is dialled: two letters of ISO 3166, such as `BR`. */
            country?: string;
        };
        SanitizePhoneNumberResponse: {
            /**
             * @description Always true in a success response.
             * @constant
             */
            success: true;
            /** @description The number as received. */
            original: string;
            /** @description The digits of the number. */
            sanitized: string;
            /** @description Whether such a number can exist. Only with `country`. */
            isPossible?: boolean;
            /** @description Unknown fields of the request, and in the operations of the specification unknown parameters of the query; absent when there are none. */
            ignoredFields?: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    sendMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendMessageRequest"];
            };
        };
        responses: {
            /** @description The sent, queued or scheduled message, and the assignment. The message's fields are present when the request has content, `assignment` when it has `assignTo`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendMessageResponse"];
                };
            };
        };
    };
    sendTemplateMessage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendTemplateMessageRequest"];
            };
        };
        responses: {
            /** @description The message, sent or waiting. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendTemplateMessageResponse"];
                };
            };
        };
    };
    readMessageHistory: {
        parameters: {
            query: {
                /**
                 * @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`.
                 * @example 5511988887777
                 */
                phone?: string;
                /** @description The contact's UUID. The UUID of a merged contact means the survivor. */
                contactId?: string;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId?: string;
                /**
                 * @description First day, in the instance's time zone.
                 * @example 2026-11-01
                 */
                start: string;
                /**
                 * @description Last day, inclusive; the range has at most 366 days.
                 * @example 2026-11-30
                 */
                end: string;
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Either `instanceId` or `connectedPhone` is required; when both are present, they must name the same instance.
                 * @example demo
                 */
                instanceId?: string;
                /** @description The instance's phone number, instead of `instanceId`. */
                connectedPhone?: string;
                /**
                 * @description Maximum number of messages; when there are more, the newest are returned.
                 * @example 1
                 */
                limit?: number;
                /** @description True returns only sent messages, false only received ones. */
                fromMe?: boolean;
                /** @description False omits all media URLs and `mediaId`. */
                attachments?: boolean;
                /** @description `conversation` for items suited to a language model, `raw` for the stored messages. */
                format?: "conversation" | "raw";
                /** @description False omits `messageId`, `messageType`, `isGroup`, `chatName` and `cardId`, and from raw messages also everything that the message's record at messages-api has beside what was said, when. */
                includeMeta?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The history. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMessageHistoryResponse"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /**
                 * @description First day, in the instance's time zone.
                 * @example 2026-11-01
                 */
                from: string;
                /**
                 * @description Last day; at most 366 days.
                 * @example 2026-11-30
                 */
                to: string;
                /**
                 * @description By what the messages are summed up. Default: `day`.
                 * @example category
                 */
                groupBy?: "day" | "month" | "category" | "type" | "messageType" | "sentBy" | "agent" | "batch" | "market";
                /** @description Whether each day has sums of its own: an item for each day and key, sorted by `day`, then `key`. */
                daily?: "true" | "false";
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sums. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetUsageResponse"];
                };
            };
        };
    };
    getBudget: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The budget. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBudgetResponse"];
                };
            };
        };
    };
    getMessage: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `messageId` of the message, or its `providerMessageId`.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f01
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageRecord"];
                };
            };
        };
    };
    cancelMessage: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /** @description `everyone` deletes a sent message on the channel; without it a waiting one is canceled. */
                for?: "everyone";
            };
            header?: never;
            path: {
                /**
                 * @description `messageId` of the message, or its `providerMessageId`.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The canceled or deleted message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageRecord"];
                };
            };
        };
    };
    moveMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `messageId` of the message, or its `providerMessageId`.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveMessageRequest"];
            };
        };
        responses: {
            /** @description The message, with its new time or words. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageRecord"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /** @description Only messages with the contact of this phone. At most one of `phone`, `contactId` and `userId`. */
                phone?: string;
                /**
                 * @description Only messages with this contact.
                 * @example 5b1f2c0e-8a34-4f6d-9d57-0b9c6a7e1f20
                 */
                contactId?: string;
                /** @description Only messages with the contact of this user id of the official channel. */
                userId?: string;
                /** @description Tracking identifier chosen by the caller; returned in the history, in the message's record and in events. */
                cardId?: string;
                /** @description The batch that the message belongs to. */
                batchId?: string;
                /** @description Status of the message. */
                status?: "queued" | "sending" | "sent" | "delivered" | "read" | "failed" | "canceled" | "unconfirmed" | "expired" | "received";
                /**
                 * @description `inbound` for received messages, `outbound` for sent ones.
                 * @example outbound
                 */
                direction?: "inbound" | "outbound";
                /** @description `desc` begins with the newest. Default: `asc`. */
                order?: "asc" | "desc";
                /** @description Only messages stored at this instant or later. */
                since?: string & (unknown & unknown);
                /** @description Only messages stored at this instant or earlier. */
                until?: string & (unknown & unknown);
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMessagesResponse"];
                };
            };
        };
    };
    cancelMessages: {
        parameters: {
            query: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /**
                 * @description The caller's name for messages that can be canceled together while they wait, with `DELETE messages-api/messages?cancelKey=`.
                 * @example appointment-4711
                 */
                cancelKey: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many were canceled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelMessagesResponse"];
                };
            };
        };
    };
    readMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `messageId` of the message, or its `providerMessageId`.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f04
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReadMessageRequest"];
            };
        };
        responses: {
            /** @description What the channel did. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadMessageResponse"];
                };
            };
        };
    };
    retryMessage: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `messageId` of the message, or its `providerMessageId`.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f03
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queued message. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageRecord"];
                };
            };
        };
    };
    listQueue: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the queue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListQueueResponse"];
                };
            };
        };
    };
    listSendableTemplates: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
                /**
                 * @description Part of the name or of the body, without regard to case.
                 * @example pedido_enviado
                 */
                q?: string;
                /**
                 * @description The template's language, as it is stored: `pt_BR`.
                 * @example pt_BR
                 */
                language?: string;
                /** @description The channel's status: `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, and so on. */
                status?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSendableTemplatesResponse"];
                };
            };
        };
    };
    getInstanceHealth: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description State of the instance's queue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetInstanceHealthResponse"];
                };
            };
        };
    };
    listWorkspaces: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWorkspacesResponse"];
                };
            };
        };
    };
    createWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description The new record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceRecord"];
                };
            };
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `workspaceId` of the record.
                 * @example d0000000-0000-4000-8000-000000000001
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceRecord"];
                };
            };
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `workspaceId` of the record.
                 * @example d0000000-0000-4000-8000-000000000001
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWorkspaceRequest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspaceRecord"];
                };
            };
        };
    };
    listInstances: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The workspace's UUID. */
                workspaceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListInstancesResponse"];
                };
            };
        };
    };
    createInstance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInstanceRequest"];
            };
        };
        responses: {
            /** @description The new record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRecord"];
                };
            };
        };
    };
    getInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the record.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRecord"];
                };
            };
        };
    };
    updateInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the record.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateInstanceRequest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRecord"];
                };
            };
        };
    };
    listOperators: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The workspace's UUID. */
                workspaceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOperatorsResponse"];
                };
            };
        };
    };
    createOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOperatorRequest"];
            };
        };
        responses: {
            /** @description The new record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorRecord"];
                };
            };
        };
    };
    getOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `operatorId` of the record.
                 * @example d0000000-0000-4000-8000-000000000021
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorRecord"];
                };
            };
        };
    };
    updateOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `operatorId` of the record.
                 * @example d0000000-0000-4000-8000-000000000021
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateOperatorRequest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorRecord"];
                };
            };
        };
    };
    listDepartments: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The workspace's UUID. */
                workspaceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDepartmentsResponse"];
                };
            };
        };
    };
    createDepartment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDepartmentRequest"];
            };
        };
        responses: {
            /** @description The new record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepartmentRecord"];
                };
            };
        };
    };
    getDepartment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `departmentId` of the record.
                 * @example d0000000-0000-4000-8000-000000000011
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepartmentRecord"];
                };
            };
        };
    };
    updateDepartment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `departmentId` of the record.
                 * @example d0000000-0000-4000-8000-000000000011
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateDepartmentRequest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepartmentRecord"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAgentsResponse"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAgentRequest"];
            };
        };
        responses: {
            /** @description The new record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRecord"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agentId` of the record.
                 * @example d0000000-0000-4000-8000-000000000031
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRecord"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agentId` of the record.
                 * @example d0000000-0000-4000-8000-000000000031
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAgentRequest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRecord"];
                };
            };
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The workspace's UUID. */
                workspaceId?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTemplatesResponse"];
                };
            };
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTemplateRequest"];
            };
        };
        responses: {
            /** @description The new record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateTemplateResponse"];
                };
            };
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `templateId` of the record.
                 * @example d0000000-0000-4000-8000-000000000041
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateRecord"];
                };
            };
        };
    };
    deleteTemplate: {
        parameters: {
            query?: {
                /** @description Instance whose account the template belongs to; needed where it is the workspace's. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `templateId` of the record.
                 * @example d0000000-0000-4000-8000-000000000042
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted template. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteTemplateResponse"];
                };
            };
        };
    };
    updateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `templateId` of the record.
                 * @example d0000000-0000-4000-8000-000000000041
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTemplateRequest"];
            };
        };
        responses: {
            /** @description The changed record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateRecord"];
                };
            };
        };
    };
    listOutbox: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The workspace's UUID. */
                workspaceId?: string;
                /**
                 * @description Status of the message.
                 * @example dead
                 */
                status?: "pending" | "done" | "dead";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOutboxResponse"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTokensResponse"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTokenRequest"];
            };
        };
        responses: {
            /** @description The token. No other response contains it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateTokenResponse"];
                };
            };
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
                /**
                 * @description `tokenId` of the token.
                 * @example d0000000-0000-4000-8000-000000000051
                 */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetTokenResponse"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
                /**
                 * @description `tokenId` of the token.
                 * @example d0000000-0000-4000-8000-000000000051
                 */
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokeTokenResponse"];
                };
            };
        };
    };
    validateTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateTemplateRequest"];
            };
        };
        responses: {
            /** @description What the channel would refuse. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidateTemplateResponse"];
                };
            };
        };
    };
    submitTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `templateId` of the record.
                 * @example d0000000-0000-4000-8000-000000000041
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubmitTemplateRequest"];
            };
        };
        responses: {
            /** @description The template as the channel has it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmitTemplateResponse"];
                };
            };
        };
    };
    syncTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000102
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Summary of the changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncTemplatesResponse"];
                };
            };
        };
    };
    retryOutbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `outboxId` of the entry.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f04
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated entry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetryOutboxResponse"];
                };
            };
        };
    };
    holdQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HoldQueueRequest"];
            };
        };
        responses: {
            /** @description The hold. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldQueueResponse"];
                };
            };
        };
    };
    listQueueHolds: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListQueueHoldsResponse"];
                };
            };
        };
    };
    listMayHaveLeft: {
        parameters: {
            query: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /**
                 * @description The instant of the dump: when `pg_dump` had ended, or any later instant before the restored project accepted requests.
                 * @example 2026-11-23T12:00:00Z
                 */
                since: string & (unknown & unknown);
                /** @description When the database that was dumped stopped sending, at most now. Default: now. */
                until?: string & (unknown & unknown);
                /** @description The instance; every instance when absent. */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMayHaveLeftResponse"];
                };
            };
        };
    };
    settleMayHaveLeft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleMayHaveLeftRequest"];
            };
        };
        responses: {
            /** @description Result of this call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettleMayHaveLeftResponse"];
                };
            };
        };
    };
    releaseQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReleaseQueueRequest"];
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseQueueResponse"];
                };
            };
        };
    };
    getRates: {
        parameters: {
            query: {
                /**
                 * @description The workspace whose costs are estimated by these rates.
                 * @example d0000000-0000-4000-8000-000000000001
                 */
                workspaceId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetRatesResponse"];
                };
            };
        };
    };
    replaceRates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceRatesRequest"];
            };
        };
        responses: {
            /** @description How the rates differ from the former ones. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplaceRatesResponse"];
                };
            };
        };
    };
    getInstanceUsage: {
        parameters: {
            query: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /**
                 * @description First day, in the instance's time zone.
                 * @example 2026-11-01
                 */
                from: string;
                /**
                 * @description Last day; at most 366 days.
                 * @example 2026-11-30
                 */
                to: string;
                /**
                 * @description By what the messages are summed up. Default: `day`.
                 * @example category
                 */
                groupBy?: "day" | "month" | "category" | "type" | "messageType" | "sentBy" | "agent" | "batch" | "market";
                /** @description Whether each day has sums of its own: an item for each day and key, sorted by `day`, then `key`. */
                daily?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000101
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sums. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetInstanceUsageResponse"];
                };
            };
        };
    };
    compareUsageWithProvider: {
        parameters: {
            query: {
                /**
                 * @description The month, `YYYY-MM`, in the instance's time zone.
                 * @example 2026-11
                 */
                month: string;
            };
            header?: never;
            path: {
                /**
                 * @description `instanceId` of the instance.
                 * @example d0000000-0000-4000-8000-000000000102
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both sums. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompareUsageWithProviderResponse"];
                };
            };
        };
    };
    resealCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Result of this call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResealCredentialsResponse"];
                };
            };
        };
    };
    getServiceHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description State of the service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetServiceHealthResponse"];
                };
            };
        };
    };
    listBatches: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /**
                 * @description Only batches of this status.
                 * @example draft
                 */
                status?: "draft" | "running" | "paused" | "canceled" | "finished";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of batches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListBatchesResponse"];
                };
            };
        };
    };
    createBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBatchRequest"];
            };
        };
        responses: {
            /** @description The draft. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredBatch"];
                };
            };
        };
    };
    getBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    listBatchRecipients: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description Only recipients of this status. */
                status?: "pending" | "queued" | "sent" | "delivered" | "read" | "failed" | "unconfirmed" | "canceled" | "expired" | "skipped";
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of recipients. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListBatchRecipientsResponse"];
                };
            };
        };
    };
    addBatchRecipients: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddBatchRecipientsRequest"];
            };
        };
        responses: {
            /** @description What became of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredBatch"];
                };
            };
        };
    };
    dryRunBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DryRunBatchRequest"];
            };
        };
        responses: {
            /** @description What would happen. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
        };
    };
    startBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StartBatchRequest"];
            };
        };
        responses: {
            /** @description The batch as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    pauseBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PauseBatchRequest"];
            };
        };
        responses: {
            /** @description The batch as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    resumeBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeBatchRequest"];
            };
        };
        responses: {
            /** @description The batch as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    retryFailedOfBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetryFailedOfBatchRequest"];
            };
        };
        responses: {
            /** @description The batch as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    cancelBatch: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `batchId` of the batch.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f08
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CancelBatchRequest"];
            };
        };
        responses: {
            /** @description The batch as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    createContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContactRequest"];
            };
        };
        responses: {
            /** @description The created or updated contact. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateContactResponse"];
                };
            };
        };
    };
    updateContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateContactRequest"];
            };
        };
        responses: {
            /** @description The updated fields and tags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateContactResponse"];
                };
            };
        };
    };
    changeContactTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeContactTagsRequest"];
            };
        };
        responses: {
            /** @description The added tags and the removed tags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeContactTagsResponse"];
                };
            };
        };
    };
    setContactConsent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetContactConsentRequest"];
            };
        };
        responses: {
            /** @description The contact's consent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetContactConsentResponse"];
                };
            };
        };
    };
    blockContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlockContactRequest"];
            };
        };
        responses: {
            /** @description The contact, and what the channel did. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedContact"];
                };
            };
        };
    };
    unblockContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnblockContactRequest"];
            };
        };
        responses: {
            /** @description The contact, and what the channel did. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedContact"];
                };
            };
        };
    };
    listContacts: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 50
                 */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
                /** @description Only the contact of this phone. At most one of `phone`, `contactId` and `userId`. */
                phone?: string;
                /** @description Only this contact. */
                contactId?: string;
                /** @description Only the contact of this user id of the official channel. */
                userId?: string;
                /** @description Only contacts with this tag, in any case. */
                tag?: string;
                /**
                 * @description Text in the name, e-mail, company or phone, in any case and without regard to accents. One or two characters are looked for at the beginning of words.
                 * @example joao
                 */
                q?: string;
                /** @description Only contacts whose conversation is assigned to this operator: e-mail or UUID. */
                assignedTo?: string;
                /** @description Only contacts with this consent to marketing. */
                consent?: "granted" | "denied" | "unknown";
                /** @description The ad or post that brought the contact last; in the query, whether one did at all. */
                referral?: boolean;
                /** @description Only what has changed at this instant or later. */
                updatedSince?: string & (unknown & unknown);
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of contacts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListContactsResponse"];
                };
            };
        };
    };
    getContact: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `contactId` of the contact.
                 * @example 5b1f2c0e-8a34-4f6d-9d57-0b9c6a7e1f20
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contact. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetContactResponse"];
                };
            };
        };
    };
    eraseContact: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
                /** @description `workspace` reaches the person's contacts at every instance of the workspace; default `instance`. */
                scope?: "instance" | "workspace";
            };
            header?: never;
            path: {
                /**
                 * @description `contactId` of the contact.
                 * @example 7a4c1d90-52fe-4b8b-9a3d-6e1f0c2b8d41
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The erasure has begun. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EraseContactResponse"];
                };
            };
        };
    };
    exportContact: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
                /** @description `workspace` reaches the person's contacts at every instance of the workspace; default `instance`. */
                scope?: "instance" | "workspace";
            };
            header?: never;
            path: {
                /**
                 * @description `contactId` of the contact.
                 * @example 5b1f2c0e-8a34-4f6d-9d57-0b9c6a7e1f20
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person's data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportContactResponse"];
                };
            };
        };
    };
    getErasure: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `erasureId` of the erasure.
                 * @example 5d0c1a52-8d43-4a38-9c1b-0f6f3f0d8f6e
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The erasure. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetErasureResponse"];
                };
            };
        };
    };
    mergeContacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeContactsRequest"];
            };
        };
        responses: {
            /** @description The survivor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MergeContactsResponse"];
                };
            };
        };
    };
    assignConversation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssignConversationRequest"];
            };
        };
        responses: {
            /** @description The new and the previous operator. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssignConversationResponse"];
                };
            };
        };
    };
    unassignConversation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnassignConversationRequest"];
            };
        };
        responses: {
            /** @description The operator whose conversation it was. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnassignConversationResponse"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /** @description Only the conversation with the contact of this phone. At most one of `phone`, `contactId` and `userId`. */
                phone?: string;
                /** @description Only the conversation with this contact. */
                contactId?: string;
                /** @description Only the conversation with the contact of this user id of the official channel. */
                userId?: string;
                /**
                 * @description Status of the conversation.
                 * @example open
                 */
                status?: "open" | "closed" | "pending";
                /** @description The operator: UUID, or in the query also the e-mail address. Null in a record for none. */
                assignedTo?: string;
                /** @description The department's UUID; null in a record for none. */
                departmentId?: string;
                /** @description Only conversations whose contact has this tag, in any case. */
                tag?: string;
                /**
                 * @description Whether the last message is the contact's.
                 * @example true
                 */
                awaitingReply?: boolean;
                /** @description The ad or post that brought the contact last; in the query, whether one did at all. */
                referral?: boolean;
                /** @description `desc` begins with the newest. Default: `asc`. */
                order?: "asc" | "desc";
                /** @description Only conversations that have changed at this instant or later. */
                updatedSince?: string & (unknown & unknown);
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of conversations. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListConversationsResponse"];
                };
            };
        };
    };
    getConversation: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `conversationId` of the conversation.
                 * @example 9c7d4e21-3f58-4a0b-8e6c-2d1b5a4f7c33
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conversation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetConversationResponse"];
                };
            };
        };
    };
    listConversationNotes: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `conversationId` of the conversation.
                 * @example 9c7d4e21-3f58-4a0b-8e6c-2d1b5a4f7c33
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of notes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListConversationNotesResponse"];
                };
            };
        };
    };
    listConversationTransfers: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `conversationId` of the conversation.
                 * @example 9c7d4e21-3f58-4a0b-8e6c-2d1b5a4f7c33
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of transfers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListConversationTransfersResponse"];
                };
            };
        };
    };
    setConversationStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetConversationStatusRequest"];
            };
        };
        responses: {
            /** @description The status, and whether a note was added. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetConversationStatusResponse"];
                };
            };
        };
    };
    addInternalNote: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddInternalNoteRequest"];
            };
        };
        responses: {
            /** @description The note's id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddInternalNoteResponse"];
                };
            };
        };
    };
    getAgentPause: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
                /**
                 * @description Phone number: 8 to 15 digits with country code, without `+` or separators. A call about a contact takes exactly one of `phone`, `contactId` and `userId`.
                 * @example 5511988887777
                 */
                phone?: string;
                /** @description The contact's UUID; null for an unknown phone or user id. */
                contactId?: string;
                /** @description Business-scoped user id of a person on the official channel, who may hide the phone number. */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the agent is paused, and until when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetAgentPauseResponse"];
                };
            };
        };
    };
    setAgentPause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAgentPauseRequest"];
            };
        };
        responses: {
            /** @description Whether the agent is paused now, and until when. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetAgentPauseResponse"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /**
                 * @description `nextCursor` of the previous page; `oldest` for the oldest event; omit it for now.
                 * @example oldest
                 */
                after?: string;
                /**
                 * @description Types of events to return, separated by commas; all when omitted.
                 * @example message.delivered
                 */
                types?: string;
                /**
                 * @description Maximum number of items per page. Default: 100.
                 * @example 100
                 */
                limit?: number;
                /** @description Seconds to wait for an event when there is none yet. At most 10 calls of a token wait at a time: others are answered at once. */
                waitSeconds?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the feed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEventsResponse"];
                };
            };
        };
    };
    listEndpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListEndpointsResponse"];
                };
            };
        };
    };
    createEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint, with its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateEndpointResponse"];
                };
            };
        };
    };
    getEndpoint: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetEndpointResponse"];
                };
            };
        };
    };
    deleteEndpoint: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f06
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteEndpointResponse"];
                };
            };
        };
    };
    updateEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateEndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateEndpointResponse"];
                };
            };
        };
    };
    rotateEndpointSecret: {
        parameters: {
            query?: {
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateEndpointSecretRequest"];
            };
        };
        responses: {
            /** @description The endpoint, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateEndpointSecretResponse"];
                };
            };
        };
    };
    testEndpoint: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestEndpointRequest"];
            };
        };
        responses: {
            /** @description What came of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestEndpointResponse"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of items per page. Default: 100. */
                limit?: number;
                /** @description `nextCursor` of the previous page; omit it for the first page. */
                cursor?: string;
                /** @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID. */
                instanceId?: string;
                /**
                 * @description Only deliveries of this status.
                 * @example pending
                 */
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDeliveriesResponse"];
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `deliveryId` of the delivery.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f07
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResendDeliveryRequest"];
            };
        };
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResendDeliveryResponse"];
                };
            };
        };
    };
    replayEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `endpointId` of the webhook endpoint.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f05
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayEventsRequest"];
            };
        };
        responses: {
            /** @description The events are on their way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayEventsResponse"];
                };
            };
        };
    };
    uploadMedia: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadMediaRequest"];
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The file, with its name and type where they are known.
                     */
                    file: string;
                    /** @description The token's instance, in any of its forms. May be omitted. */
                    instanceId?: string;
                };
            };
        };
        responses: {
            /** @description The file is kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadMediaResponse"];
                };
            };
        };
    };
    readMedia: {
        parameters: {
            query?: {
                /**
                 * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                 * @example demo
                 */
                instanceId?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `mediaId` of the file.
                 * @example e1a6b7c8-0d2f-4e35-8a91-6c4b3d2e1f31
                 */
                mediaId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    processAiAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProcessAiAgentRequest"];
            };
        };
        responses: {
            /** @description The sent or queued message and its agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessAiAgentResponse"];
                };
            };
        };
    };
    sanitizePhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SanitizePhoneNumberRequest"];
            };
        };
        responses: {
            /** @description The number as received, and its digits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SanitizePhoneNumberResponse"];
                };
            };
        };
    };
    onMessageReceived: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.received";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageSent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.sent";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageDelivered: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.delivered";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.read";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.failed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageUnconfirmed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.unconfirmed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageCanceled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.canceled";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageExpired: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.expired";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageEdited: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.edited";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageDeleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.deleted";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onMessageReaction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "message.reaction";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["MessageEventData"];
                };
            };
        };
        responses: never;
    };
    onContactCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "contact.created";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ContactEventData"];
                };
            };
        };
        responses: never;
    };
    onContactUpdated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "contact.updated";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ContactUpdatedEventData"];
                };
            };
        };
        responses: never;
    };
    onContactMerged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "contact.merged";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ContactMergedEventData"];
                };
            };
        };
        responses: never;
    };
    onContactIdentityChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "contact.identity_changed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ContactIdentityEventData"];
                };
            };
        };
        responses: never;
    };
    onContactConsentChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "contact.consent_changed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ConsentEventData"];
                };
            };
        };
        responses: never;
    };
    onContactErased: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "contact.erased";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ContactErasedEventData"];
                };
            };
        };
        responses: never;
    };
    onConversationAssigned: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "conversation.assigned";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["AssignedEventData"];
                };
            };
        };
        responses: never;
    };
    onConversationStatusChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "conversation.status_changed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["ConversationStatusEventData"];
                };
            };
        };
        responses: never;
    };
    onAgentPaused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "agent.paused";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["AgentPauseEventData"];
                };
            };
        };
        responses: never;
    };
    onAgentResumed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "agent.resumed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["AgentPauseEventData"];
                };
            };
        };
        responses: never;
    };
    onAgentNeedsPerson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "agent.needs_person";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["AgentNeedsPersonEventData"];
                };
            };
        };
        responses: never;
    };
    onInstanceHeld: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "instance.held";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["InstanceHeldEventData"];
                };
            };
        };
        responses: never;
    };
    onInstanceConnected: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "instance.connected";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["InstanceEventData"];
                };
            };
        };
        responses: never;
    };
    onInstanceDisconnected: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "instance.disconnected";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["InstanceEventData"];
                };
            };
        };
        responses: never;
    };
    onInstanceLimitChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "instance.limit_changed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["InstanceLimitEventData"];
                };
            };
        };
        responses: never;
    };
    onInstanceNumberChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "instance.number_changed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["InstanceNumberEventData"];
                };
            };
        };
        responses: never;
    };
    onTemplateStatusChanged: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "template.status_changed";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["TemplateStatusEventData"];
                };
            };
        };
        responses: never;
    };
    onTemplateCategoryWarning: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "template.category_warning";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["TemplateCategoryEventData"];
                };
            };
        };
        responses: never;
    };
    onBatchPaused: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "batch.paused";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["BatchPausedEventData"];
                };
            };
        };
        responses: never;
    };
    onBatchFinished: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "batch.finished";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["BatchEventData"];
                };
            };
        };
        responses: never;
    };
    onBudgetWarning: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "budget.warning";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["BudgetEventData"];
                };
            };
        };
        responses: never;
    };
    onBudgetReached: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "budget.reached";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["BudgetEventData"];
                };
            };
        };
        responses: never;
    };
    onEndpointDisabled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "endpoint.disabled";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["EndpointDisabledEventData"];
                };
            };
        };
        responses: never;
    };
    onEndpointTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The event's id: the same whenever and however it is told. */
                    id: string;
                    /** @constant */
                    type: "endpoint.test";
                    /**
                     * Format: date-time
                     * @description Time at which it became true.
                     */
                    timestamp: string;
                    /**
                     * Format: uuid
                     * @description The instance: its UUID, its business instance id, or its embed key (`emb_...`). Responses contain the UUID.
                     */
                    instanceId: string;
                    /** @description Rises in the order of the feed; unique within the instance. Numbers may be missing. */
                    sequence: number;
                    data: components["schemas"]["EndpointTestEventData"];
                };
            };
        };
        responses: never;
    };
}
