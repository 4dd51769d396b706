/** The baseline of comparisons with an earlier release: the last commit before calls were optimized. */
export const formerRelease = "cbe5b0c9f23c32ab80a838288088024ec89f0ddb";
