import { COPIED, initialName } from '../pipeline/enrich.ts'

// What the service copies from an event to its person is not stored again: these pieces of SQL read it from the event's
// own properties, all of it in one pass over their text.

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
const field = (name: string): string => `copied.${JSON.stringify(name)}`

/** A struct with the JSON text of each copied property, null where an event has none. */
export const COPIED_FIELDS = `from_json(properties, ${literal(
  JSON.stringify(Object.fromEntries(COPIED.map((name) => [name, 'JSON']))),
)})`

/** The copies of a struct `copied` as the members of a JSON object; an empty text where there are none. */
function members(nameOf: (name: string) => string): string {
  return `concat_ws(',', ${COPIED.map(
    (name) => `${literal(`${JSON.stringify(nameOf(name))}:`)} || ${field(name)}`,
  ).join(', ')})`
}

/** The properties of an event with the copies in `$set` and `$set_once`, of a row with a struct `copied`. */
export const WITH_COPIES = `left(properties, -1) || ',"$set":{' || ${members((name) => name)}
  || '},"$set_once":{' || ${members(initialName)} || '}}'`

/** The copies of a struct `copied` as a list of names and values, null where the event has none. */
export const COPIED_LIST = `[${COPIED.map((name) => `{name: ${literal(name)}, value: ${field(name)}}`).join(', ')}]`
