/** Where what a person says about marketing counts: at the instance, or at all of the workspace. */
export const peopleScopes = ["instance", "workspace"] as const;
export type PeopleScope = (typeof peopleScopes)[number];

/** How far a change of a workspace's scope is; see the SQL function `change_people_scopes`. */
export const peopleScopePhases = ["waiting", "collecting", "telling", "forgetting"] as const;
export type PeopleScopePhase = (typeof peopleScopePhases)[number];
