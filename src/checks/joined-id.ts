/** The property of an identity event that names the id which it joins to the event's own. */
export const JOINED_ID: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])
