import { elements, type Json, kindOf, members, objectOf, opened, scalar } from './json.ts'

/** Numbers by chance, with what is made of them. */
export class Chance {
  readonly #next: () => number

  constructor(next: () => number) {
    this.#next = next
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.#next() * end)
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** Up to `most` of the items. */
  some<T>(items: readonly T[], most: number): T[] {
    return items.length === 0 ? [] : Array.from({ length: this.below(most + 1) }, () => this.pick(items))
  }

  shuffled<T>(items: readonly T[]): T[] {
    const copy = [...items]
    for (let n = copy.length - 1; n > 0; n--) {
      const other = this.below(n + 1)
      ;[copy[n], copy[other]] = [copy[other]!, copy[n]!]
    }
    return copy
  }
}

/** Words for nothing and nobody, as programs write them. */
const WORDS = [
  ...[
    '',
    ' ',
    'NULL',
    'null',
    'Null',
    'NaN',
    'nan',
    'nil',
    'None',
    'undefined',
    '\\N',
    '-',
    '(none)',
    '(not set)',
    'n/a',
    'NA',
  ],
  ...[
    'anonymous',
    'Guest',
    'unknown',
    'user',
    'true',
    'False',
    '0',
    '-1',
    '[]',
    '{}',
    '[object Object]',
    'id',
    'email',
    'system',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    '"null"',
    "'NULL'",
    '" "',
    '" none "',
    ' null ',
    '\u0085null',
    '\ufeffNone',
    '"',
    '""',
  ],
]
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '1.0',
  '1.50',
  '1E+5',
  '1e400',
  '-1e999',
  '1e-400',
  '9007199254740993',
  '12345678901234567890',
  '0.1000000000000000055511151231257827',
  '1709294400',
  '1709294400000',
  '1709294400000000',
  '1709294400.123456',
  '20240301',
  '1e9',
]
const TIMES = [
  '2024-03-01T12:34:56Z',
  '2024-03-01 12:34:56.789123',
  '2024-03-01',
  '2024-03-01T12:34:56+02:00',
  '2024-03-31 02:30:00',
  '03/01/2024 12:00 PM',
  '01.03.2024 18:05',
  '1709294400',
  '1709294400123',
  '45352.5',
  '1969-12-31',
  '1970-01-01T05:00:00Z',
  '2199-01-01',
  '2026-01-01T21:00:00Z',
  'yesterday',
  '2024-02-30',
  '18:05',
]
const IDS = [
  'u1',
  ' u1 ',
  'u1\u0000',
  'é',
  '😀',
  '\u00a0u2\u3000',
  'x'.repeat(200),
  'x'.repeat(201),
  '😀'.repeat(200),
  '$device:d1',
  'amplitude:1',
  '0190D5A5-3C1C-7B4E-8A4B-0123456789AB',
  '0190d5a5-3c1c-7b4e-8a4b-0123456789ab',
  '{0190d5a53c1c7b4e8a4b0123456789ab}',
  'a"b\\c',
  'a@example.com',
]
const URLS = [
  'https://Shop.Example.com/a?utm_source=x&utm_source=y&utm_medium=%20m+n&utm_term=#utm',
  'https://me@Example.com',
  'http://a/b#c?d',
  'app+x://h?utm_campaign=c',
  '$direct',
  '//example.com/',
  'https://?utm_content=1',
  'https://é.example/ü?utm_term=%zz',
]
const COUNTRIES = [
  'AT',
  'at',
  'De',
  'us',
  'XX',
  'ZZ',
  'Austria',
  'USA',
  'St. Lucia',
  'united kingdom',
  'Türkiye',
  'Burma',
  'NL',
]
const JSON_VALUES: readonly Json[] = [
  ...[
    'null',
    'true',
    'false',
    '[]',
    '{}',
    '""',
    '[null,"","a"]',
    '[[1],2]',
    '[{"a":1}]',
    '{"a":null,"b":""}',
    '[ "x" , 1.0 ]',
  ],
  ...[
    '[[[[[[[[[1]]]]]]]]]',
    '{"deep":{"a":[[[[[[[[{"b":[1]}]]]]]]]]}}',
    '{"$set":{"a":1},"a":2,"a":3}',
    '{ "x" : 1.0 , "\\u0061":2}',
  ],
  ...[
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '"a\\udc00\\ud83d\\ude00b"',
    '"\\u0000"',
    '"\\u00e9\\/\\u2028"',
    '"{\\"a\\":1}"',
    '"[1,{\\"b\\":\\"\\\\ud800\\"}]"',
    '" {\\"user\\": {}} "',
    '"[1],\\"a\\":2"',
    '"{bad"',
    '"[]"',
    '"{}"',
    '"\\u007f\\b"',
  ],
]
/** Names that mean something to the engine, to the service or to a program. */
const NAMES = [
  'distinct_id',
  '$set',
  '$unset',
  '$set_once',
  '$groups',
  '$lib',
  '$lib_version',
  '$current_url',
  '$referrer',
  '$referring_domain',
  '$host',
  '$pathname',
  '$geoip_country_code',
  '$geoip_country_name',
  '$geoip_disable',
  '$session_id',
  '$heatmap_data',
  '$user_id',
  '$device_id',
  '$group_set',
  '$anon_distinct_id',
  'alias',
  'analytics_source',
  'utm_source',
  '__proto__',
  'constructor',
  'toString',
  'a.b',
  '"q"',
  'x*',
  '*',
  '',
  ' ',
  'é',
  'user',
  'plan',
  'email',
  '(child)',
  '$table',
  'uuid',
  'time',
]

/** Records of one vendor, and changes of them. */
export class RandomRecords {
  readonly #chance: Chance
  readonly #records: readonly Json[]
  /** Values by the name that they have in the records. */
  readonly #values = new Map<string, Json[]>()
  readonly #vendor: string

  constructor(chance: Chance, vendor: string, records: readonly Json[]) {
    this.#chance = chance
    this.#vendor = vendor
    this.#records = records
    for (const record of records) this.#learn(record)
  }

  /** A record with up to five changes; now and then a line that is none. */
  next(): string {
    const chance = this.#chance
    let record = chance.pick(this.#records)
    for (let n = chance.below(6); n > 0; n--) record = this.#changed(record)
    return chance.oneIn(60) ? this.#broken(record) : record
  }

  /** A record whose member `list` holds others. */
  batch(list: string): string {
    const chance = this.#chance
    const inner = Array.from({ length: chance.below(4) }, () =>
      chance.oneIn(12) ? this.#value('x') : this.#sound(),
    )
    const text = chance.oneIn(8) ? this.#value(list) : `[${inner.join(chance.oneIn(4) ? ' , ' : ',')}]`
    const json = chance.oneIn(4) ? JSON.stringify(text) : text
    const beside = members(this.#sound()).filter(([name]) => name !== list)
    const own: [string, Json][] = [
      [list, json],
      ...(chance.oneIn(8) ? [[list, this.#value(list)] as [string, Json]] : []),
    ]
    const all = [...chance.some(beside, 3), ...own]
    return objectOf(chance.oneIn(2) ? chance.shuffled(all) : all)
  }

  #sound(): Json {
    let record = this.#chance.pick(this.#records)
    for (let n = this.#chance.below(3); n > 0; n--) record = this.#changed(record)
    return record
  }

  #learn(json: Json): void {
    for (const [name, value] of members(json)) {
      const known = this.#values.get(name) ?? []
      if (known.length < 40) this.#values.set(name, [...known, value])
      if (value[0] === '{') this.#learn(value)
      if (value[0] === '[') for (const element of elements(value).slice(0, 3)) this.#learn(element)
    }
  }

  /** The object with one change somewhere in it. */
  #changed(json: Json): Json {
    const chance = this.#chance
    const all = members(json)
    if (all.length === 0) return objectOf([[chance.pick(NAMES), this.#value('x')]])
    const at = chance.below(all.length)
    const [name, value] = all[at]!
    if (value[0] === '{' && value.length > 2 && !chance.oneIn(3))
      return objectOf(all.with(at, [name, this.#changed(value)]))
    switch (chance.below(12)) {
      case 0:
        return objectOf(all.toSpliced(at, 1))
      case 1:
        return objectOf(all.toSpliced(chance.below(all.length + 1), 0, [name, this.#value(name)]))
      case 2:
        return objectOf(chance.shuffled(all))
      case 3:
        return objectOf([...all, [this.#name(), this.#value(name)]])
      case 4:
        return objectOf(all.with(at, [this.#name(), value]))
      case 5:
        return objectOf(all.with(at, [name, respelled(value)]))
      case 6:
        return objectOf(all.with(at, [name, JSON.stringify(value)]))
      case 7:
        // Blanks that mean nothing.
        return `{ ${all.map(([one, inner]) => `${JSON.stringify(one)} :\t${inner}`).join(' ,\r')} } `
      default:
        return objectOf(all.with(at, [name, this.#value(name)]))
    }
  }

  #name(): string {
    const chance = this.#chance
    if (chance.oneIn(3))
      return `$${this.#vendor}_${chance.pick([...this.#values.keys(), ...NAMES]).replace(/^\$/, '')}`
    return chance.oneIn(2) ? chance.pick(NAMES) : chance.pick([...this.#values.keys()])
  }

  /** A value for a member, mostly of a kind that the records don't have there. */
  #value(name: string): Json {
    const chance = this.#chance
    switch (chance.below(10)) {
      case 0:
      case 1:
        return JSON.stringify(chance.pick(WORDS))
      case 2:
        return chance.pick(NUMBERS)
      case 3:
        return JSON.stringify(chance.pick(TIMES))
      case 4:
        return JSON.stringify(chance.pick(IDS))
      case 5:
        return JSON.stringify(chance.pick([...URLS, ...COUNTRIES]))
      case 6:
        return chance.pick(JSON_VALUES)
      case 7:
        return chance.oneIn(40)
          ? JSON.stringify('long '.repeat(chance.pick([50, 3000, 180_000])))
          : this.#value(name)
      case 8:
        return objectOf([[this.#name(), chance.pick(JSON_VALUES)]])
      default:
        return chance.pick(this.#values.get(chance.oneIn(4) ? this.#name() : name) ?? JSON_VALUES)
    }
  }

  #broken(record: Json): string {
    const at = this.#chance.below(record.length + 1)
    const whole = [
      '',
      ' ',
      '[]',
      '"a"',
      '1',
      `[${record}]`,
      `${record}${record}`,
      `${record},`,
      '{"a":01}',
      '{"a":"\t"}',
      '{"a":NaN}',
    ]
    const deep = `{"a":${'['.repeat(110)}${']'.repeat(110)}}`
    return this.#chance.pick([
      record.slice(0, at),
      `${record.slice(0, at)}\u0001${record.slice(at)}`,
      deep,
      ...whole,
    ])
  }
}

/** The same value in another spelling. */
function respelled(json: Json): Json {
  const text = kindOf(json) === 'string' ? scalar(json)! : ''
  const inner = text === '' ? undefined : opened(text)
  if (inner !== undefined) return inner
  if (text === '') return json === '{}' || json === '[]' ? `${json[0]} ${json[1]}` : json
  const unit = text.charCodeAt(0).toString(16).padStart(4, '0')
  return `"\\u${unit}${JSON.stringify(text.slice(1)).slice(1)}`
}

/** The dotted paths of members in records, with examples of their values. */
export function pathsIn(records: readonly Json[], quoted: (name: string) => string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const look = (json: Json, prefix: string, depth: number) => {
    for (const [name, value] of members(json)) {
      if (name === '' || name.endsWith('.')) continue
      const path = prefix + quoted(name)
      const texts = found.get(path) ?? []
      const text = scalar(value)
      if (text !== undefined && texts.length < 20) texts.push(text)
      found.set(path, texts)
      const inner = value[0] === '"' ? (opened(text!) ?? value) : value
      if (inner[0] === '{' && depth < 3) look(inner, `${path}.`, depth + 1)
    }
  }
  for (const record of records) look(record, '', 0)
  return found
}
