/** Events a minute beyond which the service wants to be asked before a migration begins. */
export const OPEN_PER_MINUTE = 10_000
/** Events in all beyond which the service wants to be asked before a migration begins. */
export const OPEN_EVENTS = 20_000_000
