import type { VendorNames } from '../charts/index.ts'
import type { InputFile } from '../inputs/index.ts'
import type { Engine } from '../pipeline/engine.ts'
import { type ItemOutcome, type LoopOptions, type RecordItem, RecordLoop } from '../pipeline/loop.ts'
import { type Head, newHead, parseTime, readHead } from '../record/index.ts'
import type { ChartedBy } from '../sources/index.ts'
import { type ChartTables, copiesIn, type TableFiller } from './chart-tables.ts'
import { EventReader } from './event-facts.ts'
import { JOINED_TABLE, joinPeople, LINK_COLUMNS } from './joined-people.ts'
import { IdHash, keysOfPath, LineFacts } from './line-facts.ts'

/**
 * A row a record, or a child of one. As the vendor has it: `vname`, `vinstant`, `vperson`, `v0` …; `counted` is false for what
 * its charts leave out, `vcopied` true for what they take for a copy. What became of it: `fate` (`event`, `filtered`,
 * `rejected`), and of events `name`, `instant`, `person`, `p0` …; `copied` is true for one that transform took for a copy.
 */
export const RECORDS_TABLE = 'records'
const READ_TABLE = 'read_records'
/** Ids that the vendor joins, and the people that they make. */
const OF_VENDOR = { links: 'vendor_links', joined: 'vendor_joined' }

export interface RecordsReading {
  /** Turns records into events as the transform of the datasets did. */
  readonly engine: Engine
  readonly inputs: readonly InputFile[]
  readonly loop: Omit<LoopOptions, 'progress'>
  readonly by: ChartedBy
  readonly names: Pick<VendorNames, 'property'>
  /** Final names of the properties that charts ask for. */
  readonly properties: readonly string[]
}

/** Reads raw records into their table; the datasets are there already. Throws when stopped. */
export async function readRawRecords(tables: ChartTables, reading: RecordsReading): Promise<void> {
  const { properties, engine, inputs, loop } = reading
  const rows = await tables.fill(READ_TABLE, [
    ['seq', 'BIGINT'],
    ['vname', 'VARCHAR'],
    ['vinstant', 'BIGINT'],
    ['vperson', 'UBIGINT'],
    ['vcopy', 'UBIGINT'],
    ['counted', 'BOOLEAN'],
    ...properties.map((_, at) => [`v${at}`, 'VARCHAR'] as const),
    ['fate', 'VARCHAR'],
    ['name', 'VARCHAR'],
    ['instant', 'BIGINT'],
    ['id', 'UBIGINT'],
    ['personless', 'BOOLEAN'],
    ['copy', 'UBIGINT'],
    ['gives_way', 'BOOLEAN'],
    ...properties.map((_, at) => [`p${at}`, 'VARCHAR'] as const),
  ])
  const links = await tables.fill(OF_VENDOR.links, LINK_COLUMNS)
  await new RecordLoop(engine, new RecordRows({ rows, links }, reading)).read(inputs, loop)
  rows.close()
  links.close()
  await joinPeople(tables, READ_TABLE, OF_VENDOR)
  await tables.run(`
    CREATE OR REPLACE TABLE ${RECORDS_TABLE} AS
    SELECT ${READ_TABLE}.* EXCLUDE (vperson, vcopy, copy, gives_way), coalesce(v.person, vperson) AS vperson, coalesce(j.person, ${READ_TABLE}.id) AS person,
      seq IN (${copiesIn(READ_TABLE, 'vcopy')}) AS vcopied, seq IN (${copiesIn(READ_TABLE, 'copy', 'gives_way, seq')}) AS copied
    FROM ${READ_TABLE} LEFT JOIN ${JOINED_TABLE} j ON j.id = ${READ_TABLE}.id
    LEFT JOIN ${OF_VENDOR.joined} v ON v.id = vperson;
    DROP TABLE ${READ_TABLE}`)
}

/** What the vendor's own charts see of a record. */
type VendorRow = readonly [
  name: string | undefined,
  instant: number | undefined,
  person: bigint | undefined,
  copy: bigint | undefined,
  counted: boolean,
  ...values: ReadonlyArray<string | undefined>,
]

/** Takes what becomes of records into a table. */
class RecordRows {
  readonly #rows: TableFiller
  readonly #links: TableFiller
  readonly #by: ChartedBy
  readonly #paths
  readonly #values
  readonly #facts = new LineFacts()
  readonly #hash = new IdHash()
  readonly #head: Head = newHead()
  readonly #reader: EventReader
  #seq = 0

  constructor(
    { rows, links }: { readonly rows: TableFiller; readonly links: TableFiller },
    { by, names, properties }: RecordsReading,
  ) {
    this.#rows = rows
    this.#links = links
    this.#by = by
    this.#reader = new EventReader(properties)
    this.#paths = {
      event: keysOfPath([by.event]),
      times: by.times.map(keysOfPath),
      identity: by.identity.map(keysOfPath),
      person: by.person.map(keysOfPath),
      joined: (by.joined ?? []).map(({ path, prefix }) => ({ keys: keysOfPath(path), prefix })),
    }
    this.#values = properties.map((property) => {
      const name = names.property(property)
      return name === undefined ? [] : by.properties.map((path) => keysOfPath([...path, name]))
    })
  }

  take(outcome: ItemOutcome, item: RecordItem): void {
    const vendor = this.#vendorRow(outcome, item)
    if (outcome.status !== 'event') {
      this.#row([...vendor, outcome.status, ...FATELESS, ...this.#values.map(() => undefined)])
      return
    }
    const { bytes, length } = outcome.line
    const head = readHead(bytes, 0, length, this.#head)!
    const { name, instant, id, isPersonless, values } = this.#reader.read(bytes, length, head)
    const copy = outcome.ownId ? this.#reader.copyOf(bytes, head) : undefined
    this.#row([...vendor, 'event', name, instant, id, isPersonless, copy, outcome.givesWay, ...values])
  }

  #row(values: Parameters<TableFiller['row']>[0]): void {
    this.#rows.row([this.#seq++, ...values])
  }

  #vendorRow(outcome: ItemOutcome, item: RecordItem): VendorRow {
    const facts = this.#facts
    const [bytes, start, end] = spanOf(outcome, item)
    facts.begin(bytes, start, end)
    const name = facts.text(this.#paths.event)
    const person = this.#personOf(facts)
    const identity = this.#paths.identity
    const spans = identity.length > 0 ? facts.spans([this.#paths.event, ...identity]) : undefined
    return [
      name,
      instantOf(facts.first(this.#paths.times)),
      person,
      spans && this.#hash.of(bytes, spans),
      name !== undefined && !this.#by.uncounted.includes(name),
      ...this.#values.map((paths) => facts.first(paths)),
    ]
  }

  /** The hash of the user's id; other ids of the record that the vendor takes for the same user become links. */
  #personOf(facts: LineFacts): bigint | undefined {
    const text = facts.first(this.#paths.person)
    if (text === undefined) return undefined
    const person = this.#hash.ofText(text)
    for (const { keys, prefix } of this.#paths.joined) {
      const other = facts.text(keys)
      if (other === undefined || other === '' || prefix + other === text) continue
      this.#links.row([this.#seq, true, person, this.#hash.ofText(prefix + other)])
    }
    return person
  }
}

/** name, instant, id, personless, copy, gives_way of a record that became no event. */
const FATELESS = [undefined, undefined, undefined, undefined, undefined, undefined]

/** The bytes of a record: of one that was given up before it was mapped, as its reject has it. */
function spanOf(outcome: ItemOutcome, item: RecordItem): readonly [Buffer, number, number] {
  if (item.isMapped) return [item.bytes, item.start, item.end]
  if (outcome.status !== 'rejected') return [item.whole.bytes, item.whole.start, item.whole.end]
  const bytes = Buffer.from(outcome.record ?? '')
  return [bytes, 0, bytes.length]
}

function instantOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return parseTime(text)
  } catch {
    return undefined
  }
}
