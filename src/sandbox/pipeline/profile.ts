type Properties = Record<string, unknown>

const PERSON_FIELDS = ['$set', '$set_once', '$unset']
const MERGES = new Set(['$identify', '$create_alias', '$merge_dangerously'])

/** Reads `$process_person_profile`. True is what all events without it mean, and is deleted. */
export function hasPerson(properties: Properties): boolean {
  if (properties.$process_person_profile === true) delete properties.$process_person_profile
  return properties.$process_person_profile !== false
}

/** False for a value of `$process_person_profile` that the service does not know; it counts as absent. */
export function isProfileWord(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}

/** True for events that do nothing but merge persons; the service drops those that shall have no person. */
export function isMerge(event: string): boolean {
  return MERGES.has(event)
}

/** Events without a person, and `$groupidentify`, change no person. */
export function dropPersonFields(properties: Properties): void {
  for (const field of PERSON_FIELDS) delete properties[field]
}
