import { PosthaulError } from '../../src/errors.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { quotedSegment } from '../../src/mapping/member-path.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { type Json, members } from './json.ts'
import { type Chance, pathsIn } from './random-records.ts'

const ZONES = ['Europe/Vienna', 'America/New_York', 'Asia/Kolkata', 'UTC']
const FORMATS = [
  'MM/DD/YYYY hh:mm A',
  'DD.MM.YYYY HH:mm',
  'epoch_s',
  'epoch_ms',
  'epoch_ns',
  'excel',
  'YYYYMMDD',
  'YYYY-MM-DD HH:mm:ss',
]
const SAID = ['x', 0, true, ['a', 1], { a: 1 }]

/** Mapping files by chance, for the records of one preset: all keys that say what becomes of a record. */
export class RandomMappings {
  readonly #chance: Chance
  readonly #preset: Preset
  readonly #examples: ReadonlyMap<string, readonly string[]>
  readonly #paths: readonly string[]
  readonly #names: readonly string[]
  /** Names of events in the source, and those that the preset gives. */
  readonly #events: readonly string[]

  constructor(chance: Chance, preset: Preset, records: readonly Json[], made: readonly Json[]) {
    this.#chance = chance
    this.#preset = preset
    this.#examples = pathsIn(records, quotedSegment)
    this.#paths = [...this.#examples.keys()]
    const given = made.flatMap((line) =>
      members(new Map(members(line)).get('properties') ?? '{}').map(([name]) => name),
    )
    this.#names = [
      ...new Set([
        ...given.filter((name) => !/^\$set(?:_once)?$/.test(name)),
        'distinct_id',
        `$${preset.vendor}_distinct_id`,
        'constructor',
        '__proto__',
        'toString',
        '$heatmap_data',
        '$host',
      ]),
    ]
    const events = made.map((line) => JSON.parse(new Map(members(line)).get('event')!) as string)
    this.#events = [
      ...new Set([...events, ...Object.keys(preset.events), ...Object.values(preset.events)]),
    ].filter((name) => name !== '')
  }

  /** A mapping file's text and what it means. */
  next(): { readonly text: string; readonly mapping: Mapping } {
    for (;;) {
      const text = JSON.stringify(this.#input())
      if (text === '{}') return { text, mapping: NO_MAPPING }
      try {
        return { text, mapping: parseMapping(text, 'mapping').mapping }
      } catch (error) {
        // A file that says two things at once, such as a uuid beside the list.
        if (!(error instanceof PosthaulError)) throw error
      }
    }
  }

  #input(): object {
    const chance = this.#chance
    if (chance.oneIn(5)) return {}
    const { explode, reshape, sideTables, groupType } = this.#preset
    const isList =
      explode === undefined && reshape === undefined && sideTables === undefined && chance.oneIn(4)
    const list = chance.pick(['events', 'batch', 'a.b'])
    const tops = [...this.#examples.keys()].filter((path) => !path.includes('.'))
    const at = (path: string) => (isList && !chance.oneIn(5) ? `${quotedSegment(list)}.${path}` : path)
    return {
      ...(isList && { explode: quotedSegment(list) }),
      ...(isList && chance.oneIn(2) && { explode_with: [chance.pick(tops), ...chance.some(tops, 3)] }),
      ...(chance.oneIn(2) && { fields: this.#fields(at) }),
      ...(chance.oneIn(3) && { events: this.#choice() }),
      ...(chance.oneIn(2) && { properties: this.#properties() }),
      ...(chance.oneIn(5) && { filter: this.#filter(at) }),
      ...(chance.oneIn(3) && {
        groups: Object.fromEntries(
          chance.some(['company', 'team', '__proto__', 'x'], 3).map((type) => [type, at(this.#path())]),
        ),
      }),
      ...(chance.oneIn(3) && {
        types: Object.fromEntries(
          Array.from({ length: 3 }, () => [
            at(this.#path()),
            chance.pick(['number', 'boolean', 'time', 'list', 'json', { type: 'time', format: 'epoch_ms' }]),
          ]),
        ),
      }),
      ...(groupType !== undefined && chance.oneIn(4) && { group_type: 'team' }),
      ...(this.#preset.readsGroupTypes && chance.oneIn(2) && { group_types: { 0: 'company', 2: 'team' } }),
      ...(this.#preset.readsBaseUrl && chance.oneIn(2) && { base_url: 'https://stats.example.com/' }),
      ...(chance.oneIn(3) && { source_timezone: chance.pick(ZONES) }),
      ...(chance.oneIn(4) && { time_format: [chance.pick(FORMATS), ...chance.some(FORMATS, 2)] }),
      ...(chance.oneIn(3) && { person_properties: chance.pick(['set', 'set_once', 'drop']) }),
      ...(chance.oneIn(3) && { big_integers: chance.pick(['keep', 'string']) }),
      ...(chance.oneIn(3) && { deep: chance.pick(['keep', 'text']) }),
    }
  }

  #fields(at: (path: string) => string): object {
    const chance = this.#chance
    const one = () => {
      const paths = Array.from({ length: 1 + chance.below(3) }, () => at(this.#path()))
      return paths.length === 1 && chance.oneIn(2) ? paths[0] : paths
    }
    const fields = [
      'event',
      'distinct_id',
      'timestamp',
      'uuid',
      'anonymous_id',
      'session_id',
      'session_start',
    ]
    const chosen = Object.fromEntries(
      chance.some(fields, 4).map((field) => [field, field === 'uuid' && chance.oneIn(4) ? null : one()]),
    )
    if (chosen.timestamp || !chance.oneIn(5)) return chosen
    return { ...chosen, time: [at(this.#path()), at(this.#path())] }
  }

  #choice(): object {
    const chance = this.#chance
    return {
      ...(chance.oneIn(2) && {
        rename: Object.fromEntries(
          chance
            .some(this.#events, 3)
            .map((name) => [
              name,
              chance.pick([...this.#events, 'n'.repeat(250), '😀'.repeat(60), 'a\0b', '$set', '$identify']),
            ]),
        ),
      }),
      ...(chance.oneIn(3) && { drop: chance.some(this.#events, 2) }),
      ...(chance.oneIn(6) && { keep: chance.some(this.#events, 5) }),
    }
  }

  #properties(): object {
    const chance = this.#chance
    // Half of them are names that the engine makes itself.
    const special = [
      'distinct_id',
      `$${this.#preset.vendor}_distinct_id`,
      '$set',
      '$groups',
      '$current_url',
      'constructor',
    ]
    const names = () => [...chance.some(this.#names, 3), ...(chance.oneIn(2) ? chance.some(special, 2) : [])]
    return {
      ...(chance.oneIn(2) && {
        rename: Object.fromEntries(
          names().map((name) => [
            name,
            chance.pick([chance.pick(this.#names), chance.pick(special), 'other']),
          ]),
        ),
      }),
      ...(chance.oneIn(3) && { drop: names() }),
      ...(chance.oneIn(3) && { hash: [...names(), ...(chance.oneIn(3) ? ['distinct_id'] : [])] }),
      ...(chance.oneIn(3) && {
        set: Object.fromEntries(
          names()
            .filter((name) => name !== 'distinct_id')
            .map((name) => [name, chance.pick(SAID)]),
        ),
      }),
    }
  }

  #filter(at: (path: string) => string): object {
    const chance = this.#chance
    const path = this.#path()
    const values = [...(this.#examples.get(path) ?? []), '']
    return {
      ...(chance.oneIn(3) && { from: chance.pick(['2020-01-01', '2024-01-01T12:00:00Z']) }),
      ...(chance.oneIn(3) && { to: chance.pick(['2024-06-01', '2024-03-01 12:00']) }),
      ...(chance.oneIn(2) && { where: { [at(path)]: [chance.pick(values), ...chance.some(values, 4)] } }),
    }
  }

  /** A path of the records; now and then one below it, or one that leads nowhere. */
  #path(): string {
    const path = this.#chance.pick(this.#paths)
    return this.#chance.oneIn(15) ? `${path}.${this.#chance.pick(['a', 'id', '"a.b"'])}` : path
  }
}
