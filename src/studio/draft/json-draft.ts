import { type Spread, type SpreadRecord, withNulls } from '../../inputs/index.ts'
import { ByteWriter, Scanner, scanRefusal, Tape } from '../../record/index.ts'
import { number, plural } from '../../text/index.ts'
import type { DraftQuestion } from './draft-facts.ts'
import { comment } from './yaml-text.ts'

const MOST_NAMED = 3

/** What a mapping file says of lines that are no JSON. */
export interface JsonDraft {
  /** Set if some of them are once NaN and infinities are null. */
  readonly json: 'python' | undefined
  readonly lines: readonly string[]
  readonly questions: readonly DraftQuestion[]
}

/** Looks at the lines of a sample that are no JSON: which they are, why, and what can read them. */
export function jsonDraft({ records }: Pick<Spread, 'records'>): JsonDraft {
  const scanner = new Scanner(new Tape())
  const out = new ByteWriter()
  const python: SpreadRecord[] = []
  const broken: Array<{ readonly record: SpreadRecord; readonly message: string }> = []
  for (const record of records) {
    const { bytes, input } = record
    if ((input.format !== 'ndjson' && input.format !== 'json') || input.rejects) continue
    if (scanner.scan(bytes, 0, bytes.length)) continue
    const { reason, at } = scanner.failure
    // Text in another encoding is spoken of elsewhere, and no mapping makes an object of what is none.
    if (reason !== 'bad_json' && reason !== 'trailing_bytes') continue
    const { message } = scanRefusal(reason, at)
    if (withNulls(bytes, out) > 0 && scanner.scan(out.bytes, 0, out.length)) python.push(record)
    else broken.push({ record, message })
  }
  const asked = [
    ...(python.length === 0
      ? []
      : [
          `${plural(python.length, 'record')} of ${number(records.length)} hold NaN or Infinity, as Python's json writes it and JSON does not have it: ${placed(python)}. They are read as null, and counted; without this line such records are rejects`,
        ]),
    ...(broken.length === 0
      ? []
      : [
          `${plural(broken.length, 'record')} of ${number(records.length)} ${broken.length === 1 ? 'is' : 'are'} no JSON, and become rejects: ${placed(broken.map(({ record }) => record))}. ${broken[0]!.message}`,
        ]),
  ]
  const json = python.length > 0 ? ('python' as const) : undefined
  return {
    json,
    lines: [
      ...(json ? [`json: ${json}`] : []),
      ...asked.flatMap((text) => comment(text, json ? '  ' : '', '# ? ')),
      ...(asked.length > 0 ? [''] : []),
    ],
    questions: asked.map((text) => ({ about: 'json', text })),
  }
}

/** Where records are: `line 3, line 7 and 5 more of x.ndjson`. */
function placed(records: readonly SpreadRecord[]): string {
  const { name, format } = records[0]!.input
  const unit = format === 'json' ? 'element' : 'line'
  const known = records.filter(({ input }) => input.name === name)
  const shown = known
    .flatMap((one) => (one.number === undefined ? [] : [number(one.number)]))
    .slice(0, MOST_NAMED)
  if (shown.length === 0) return name
  const more = records.length - shown.length
  return `${unit}${shown.length === 1 ? '' : 's'} ${shown.join(', ')} of ${name}${more > 0 ? `, and ${number(more)} more` : ''}`
}
