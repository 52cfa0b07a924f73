import { MAPPED_FIELDS } from '../../mapping/mapping.ts'
import { pathSegments } from '../../mapping/member-path.ts'
import type { ColumnRule, Edit, EditableField, SetupAnswer, SetupChoice, SetupEdit } from '../studio-data.ts'
import { keysIn, ruleIn, saidPaths, textsAt } from './said-columns.ts'

/** What a question is written below. */
export interface QuestionPlace {
  /** `fields`, `columns`; '' at the top of the file. */
  readonly section: string
  readonly key: string
}

type Answers = readonly SetupAnswer[]

interface Asked extends QuestionPlace {
  /** What the pattern of the question has in brackets. */
  readonly words: readonly string[]
  readonly keys: Readonly<Record<string, unknown>>
}

/** The field of a key: `time`, of a day and a time of day, stands for the timestamp. */
function fieldOf(key: string): EditableField | undefined {
  return MAPPED_FIELDS.find((one) => one === (key === 'time' ? 'timestamp' : key))
}

const keep = (label: string): SetupAnswer => ({ label, edits: [], choose: null })
const change = (label: string, ...edits: SetupAnswer['edits']): SetupAnswer => ({
  label,
  edits,
  choose: null,
})
const choose = (label: string, choice: SetupChoice): SetupAnswer => ({ label, edits: [], choose: choice })
const another = (field: EditableField, label = 'No, another one…') => choose(label, { what: 'field', field })
const noAnonymous = { kind: 'set_field', field: 'anonymous_id', path: null } as const

/** The questions that drafts ask, by their words: see studio/draft/. Each has what is written first, and then the other. */
const ANSWERS: ReadonlyArray<readonly [question: RegExp, answers: (asked: Asked) => Answers | undefined]> = [
  [
    /: each element becomes an event.*\. Is it one\?/,
    ({ keys }) => [keep('Yes, an event each'), change('No, a record is one event', ...wholeAgain(keys))],
  ],
  [
    /: are these the events\? "explode: (.+)" makes an event of each$/,
    ({ words: [says = ''] }) => {
      const [path] = textsAt(keysIn(`explode: ${says}`) ?? {}, 'explode')
      return path === undefined
        ? undefined
        : [keep('No, a record is one event'), change('An event of each', { kind: 'set_explode', path })]
    },
  ],
  [
    /whose names are in another case/,
    () => [keep('Understood: rows of my own'), choose('Change the text…', { what: 'view', view: 'mapping' })],
  ],
  [
    /are rejected: transform stops above/,
    () => [keep('Understood'), choose('See why', { what: 'view', view: 'rejects' })],
  ],
  [
    /is the likeliest; is it /,
    ({ key }) => {
      const field = fieldOf(key)
      return field && [keep('Yes, it is'), another(field)]
    },
  ],
  [
    /: which is the .+?\?(?: (\w+: .+) takes the other)?$/,
    ({ key, words: [others = ''] }) => {
      const field = fieldOf(key)
      if (!field) return undefined
      const offers = [...others.matchAll(/\w+: ("(?:[^"\\]|\\.)*"|[^\s"]+)/g)].map(([, said = '']) => {
        const path = said.startsWith('"') ? (JSON.parse(said) as string) : said
        return change(`No, ${path}`, { kind: 'set_field', field, path })
      })
      return [keep('Yes, it is as written'), ...offers, another(field)]
    },
  ],
  [
    /the vendor's, which stands where yours is missing|the finer one where there is one/,
    ({ key }) => {
      const field = fieldOf(key)
      return field && [keep('Yes, both'), another(field, 'No, another one…')]
    },
  ],
  [
    /is another one in each record: is it the event's id\?/,
    () => [
      keep("Yes, the event's id"),
      change('No, it is none', { kind: 'set_field', field: 'uuid', path: null }),
    ],
  ],
  [
    /^nothing in the records names the event/,
    () => [
      keep('Yes, call each so'),
      choose('A better name…', { what: 'name' }),
      another('event', 'A column has the name…'),
    ],
  ],
  [/is it a name, or text of its own\?/, () => [keep('It is the name'), another('event')]],
  [
    /^these rows are people: /,
    () => [
      keep('Yes, properties of people'),
      change('No, each row happened', { kind: 'set_rows', are: 'events' }),
      another('event', 'A column says what happened…'),
    ],
  ],
  [
    /are people by the file's name/,
    () => [
      another('event', 'A column says what happened…'),
      change('Each row is one event', { kind: 'set_field', field: 'event', path: '$table' }),
    ],
  ],
  [
    /Is it an id of one anonymous person\?$/,
    ({ keys }) => {
      const [path] = saidPaths(keys, 'anonymous_id')
      return (
        (path !== undefined && [
          keep('Yes, of one person'),
          change('No, many share it', noAnonymous, { kind: 'remove_field', field: 'distinct_id', path }),
        ]) ||
        undefined
      )
    },
  ],
  [
    /is taken for an anonymous id: /,
    () => [keep('Yes, to one person'), change('No, it is none', noAnonymous)],
  ],
  [
    /delete the line anonymous_id/,
    () => [keep('Keep it as it is'), change('People share them: take it out', noAnonymous)],
  ],
  [
    /^[\d,]+ of [\d,]+ times are of no form that is known/,
    () => [
      keep('Leave them out'),
      choose('Take another column too…', { what: 'fallback', field: 'timestamp' }),
    ],
  ],
  [
    /times are midnight: is the time of day/,
    ({ keys }) => {
      const [day] = saidPaths(keys, 'timestamp')
      return day === undefined
        ? undefined
        : [keep('No, only days are known'), choose('In another column…', { what: 'time of day', day })]
    },
  ],
  [
    /is it in another place too\? \[a, b\]/,
    ({ key }) => {
      const field = fieldOf(key)
      return (
        field && [keep('No, leave them out'), choose('Yes, in another one…', { what: 'fallback', field })]
      )
    },
  ],
  [
    /; if the day comes (?:first|second): (.+)$/,
    ({ keys, words: [other = ''] }) => {
      const formats = textsAt(keys, 'time_format')
      const written = formats.find((format) => format !== other && lettersOf(format) === lettersOf(other))
      return written === undefined
        ? undefined
        : [
            keep(written),
            change(other, {
              kind: 'set_formats',
              formats: formats.map((format) => (format === written ? other : format)),
            }),
          ]
    },
  ],
  [/carry no zone: UTC\?$/, () => [keep('Yes, UTC'), choose('Another zone…', { what: 'zone' })]],
  [
    /or another zone with that clock\?$/,
    ({ keys }) => [
      keep(textsAt(keys, 'source_timezone')[0] ?? 'As it is written'),
      choose('Another zone…', { what: 'zone' }),
    ],
  ],
  [
    /: of which zone\? source_timezone/,
    () => [choose('Choose the zone…', { what: 'zone' }), keep('Leave it at UTC')],
  ],
  [
    /taken for a group's key/,
    ({ key }) => [keep('Yes, a group'), change('No group', { kind: 'set_group', type: key, path: null })],
  ],
  [
    /"groups: \{ (\S+): (\S+) \}" makes one of it$/,
    ({ words: [type = '', path = ''] }) => [
      keep('No group'),
      change('Make it a group', { kind: 'set_group', type, path }),
    ],
  ],
  [
    /(\{ type: .*\}) makes /,
    ({ key, words: [says = ''] }) => [
      keep('Leave it text'),
      ...[...says.matchAll(/\{ type: [^}]*\}/g)].flatMap(([text]) => {
        const rule = ruleIn(text)
        return rule ? [change(labelOf(rule), { kind: 'set_column', column: key, rule })] : []
      }),
    ],
  ],
  [
    /as Excel counts days \(format: excel/,
    ({ section, key }) =>
      section === 'columns'
        ? [
            keep('Only a number'),
            change('Days of Excel', {
              kind: 'set_column',
              column: key,
              rule: { type: 'time', formats: ['excel'] },
            }),
          ]
        : [keep("Yes, Excel's days"), another('timestamp')],
  ],
  [
    /which PostHog rounds: as text they stay whole$/,
    () => [keep('As text'), change('As numbers', { kind: 'set_big_integers', as: null })],
  ],
  [
    /cells are not such a value.*: they stay text$/,
    ({ key }) => [
      keep('Leave these as text'),
      change('Make all of it text', { kind: 'set_column', column: key, rule: { type: 'text' } }),
    ],
  ],
  [
    /its members become properties of the event/,
    ({ key }) => [
      keep('Yes, properties'),
      change('Keep it one object', { kind: 'set_column', column: key, rule: { type: 'json' }, to: null }),
    ],
  ],
]

/** The answers of a question: what is written, and what could be. One that no pattern knows can be left as it is, or changed by hand. */
export function answersOf(text: string, place: QuestionPlace, keys: Asked['keys']): Answers {
  for (const [question, answers] of ANSWERS) {
    const [found, ...words] = question.exec(text) ?? []
    if (found === undefined) continue
    const known = answers({ ...place, words, keys })
    if (known) return known
  }
  return [keep('Leave it so'), choose('Change the text…', { what: 'view', view: 'mapping' })]
}

/** Takes a list back, and the fields that lie in it. */
function wholeAgain(keys: Asked['keys']): SetupEdit[] {
  const list = pathSegments(textsAt(keys, 'explode')[0] ?? '')[0]
  const inList = MAPPED_FIELDS.flatMap((field) =>
    saidPaths(keys, field)
      .filter((path) => pathSegments(path)[0] === list)
      .map((path): SetupEdit => ({ kind: 'remove_field', field, path })),
  )
  return [{ kind: 'set_explode', path: null }, ...inList]
}

function labelOf({ type, decimal, formats = [] }: ColumnRule): string {
  if (type === 'boolean') return 'True and false'
  if (type === 'number' && decimal !== undefined)
    return decimal === ',' ? 'Numbers: 1.234,5' : 'Numbers: 1,234.5'
  return type === 'time' ? `Times: ${formats[0] ?? 'the usual forms'}` : 'Numbers'
}

/** The letters of a form of times in any order: `DD/MM` has those of `MM/DD`. */
function lettersOf(format: string): string {
  return [...format].sort().join('')
}

/** True for a change that says what a question asks, wherever on the page it is made. */
export function isAnsweredBy(answers: Answers, edit: Edit): boolean {
  return answers.some(({ choose, edits }) => {
    return choose === null ? edits.some((one) => targetOf(one) === targetOf(edit)) : isChoice(choose, edit)
  })
}

function isChoice(choice: SetupChoice, edit: Edit): boolean {
  switch (choice.what) {
    case 'field':
      return edit.kind === 'set_field' && edit.field === choice.field
    case 'fallback':
      return (edit.kind === 'set_field' || edit.kind === 'add_field') && edit.field === choice.field
    case 'time of day':
      return edit.kind === 'set_day_and_time' || (edit.kind === 'set_field' && edit.field === 'timestamp')
    case 'zone':
      return edit.kind === 'set_timezone'
    case 'name':
      return edit.kind === 'set_name'
    case 'view':
      return false
  }
}

/** What an edit changes, whatever it makes of it. */
function targetOf(edit: Edit): string {
  const { kind, ...rest } = edit
  const at = (name: string): unknown => (rest as Readonly<Record<string, unknown>>)[name]
  const path = kind === 'remove_field' ? edit.path : undefined
  return JSON.stringify([kind, at('field'), at('column'), at('type'), path])
}
