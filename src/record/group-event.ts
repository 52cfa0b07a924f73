/** The event that the service's pipeline acts on; import sends another name only when told to. */
export const GROUP_EVENT = '$groupidentify'

/** What group events are called in sources: the pipeline's name, and the one in the service's documentation. */
export const GROUP_EVENT_NAMES: readonly string[] = [GROUP_EVENT, '$group_identify']

/** In characters: the service drops a group event whose key is longer. */
export const MAX_GROUP_KEY = 400

/** The distinct_id of group events: one of their own, never a person's. */
export function groupSender(type: string, key: string): string {
  return [...`$${type}_${key}`].slice(0, 200).join('').trim()
}
