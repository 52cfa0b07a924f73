import type { InputFile } from '../../inputs/index.ts'

/** What the names of the files tell. */
export interface TableName {
  readonly name: string
  /** True for a table of people: a row is what is known of one, and nothing that happened. */
  readonly isPeople: boolean
}

const GENERIC =
  /^(?:stdin|events?|data|dataset|rows?|records?|results?|tables?|query|untitled|sheet|book|test|sample|log|logs|all|full|new|final|my.?data|raw|csv|json)[-_ ]?\d*$|^\d+$/i
const PEOPLE =
  /^(?:contacts?|customers?|users?|leads?|people|persons?|profiles?|subscribers?|members?|clients?|kontakte|kunden|nutzer|benutzer)$/i
/** Words around the name of a table that tell nothing of its rows. */
const AROUND = /^(?:export(?:s|ed)?|all|list|tables?|dump|backup|full|new|final|data|csv|public|crm|v)$|^$/i

/** The one table that all files are of. A name that any file could have says nothing, nor that of the folder around it. */
export function tableName(inputs: readonly InputFile[]): TableName | undefined {
  const tables = new Set(inputs.map(({ table }) => table))
  const [name] = tables
  if (name === undefined || tables.size > 1 || GENERIC.test(name)) return undefined
  if (!inputs.every((input) => input.name.includes(name))) return undefined
  const words = name.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => !AROUND.test(word))
  return { name, isPeople: PEOPLE.test(words.at(-1) ?? '') }
}
