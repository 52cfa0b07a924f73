import { MAPPED_FIELDS } from '../../mapping/mapping.ts'
import { pathSegments } from '../../mapping/member-path.ts'
import type { ColumnRule, Edit, EditableField, SetupAnswer, SetupChoice } from '../studio-data.ts'
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
  /** The field that the key is of: `time`, of a day and a time of day, stands for the timestamp. */
  readonly field: EditableField | undefined
}

const keep = (label: string): SetupAnswer => ({ label, edits: [], choose: null })
const change = (label: string, ...edits: readonly Edit[]): SetupAnswer => ({ label, edits, choose: null })
const choose = (label: string, choice: SetupChoice): SetupAnswer => ({ label, edits: [], choose: choice })
const another = (field: EditableField, label = 'No, another one…') => choose(label, { what: 'field', field })
const look = (label: string, view: 'mapping' | 'rejects') => choose(label, { what: 'view', view })
const zone = (label = 'Another zone…') => choose(label, { what: 'zone' })
const withoutField = (field: EditableField) => ({ kind: 'set_field', field, path: null }) as const
const typed = (column: string, rule: ColumnRule, more = {}) =>
  ({ kind: 'set_column', column, rule, ...more }) as const

const ANSWERS: Array<readonly [question: RegExp, answers: (asked: Asked) => Answers | undefined]> = []

/** Says how a question that drafts ask (see studio/draft/) is answered, by its words: what is written first, and then the other. */
function on(question: RegExp, answers: (asked: Asked) => Answers | undefined): void {
  ANSWERS.push([question, answers])
}

on(/: each element becomes an event.*\. Is it one\?/, ({ keys }) => {
  return [keep('Yes, an event each'), change('No, a record is one event', ...wholeAgain(keys))]
})
on(/: are these the events\? "explode: (.+)" makes an event of each$/, ({ words: [says = ''] }) => {
  const [path = ''] = textsAt(keysIn(`explode: ${says}`) ?? {}, 'explode')
  return [keep('No, a record is one event'), change('An event of each', { kind: 'set_explode', path })]
})
on(/are rejected: transform stops above/, () => [keep('Understood'), look('See why', 'rejects')])
on(/is the likeliest; is it /, ({ field }) => field && [keep('Yes, it is'), another(field)])
on(/: which is the .+?\?(?: (\w+: .+) takes the other)?$/, ({ field, words: [others = ''] }) => {
  if (!field) return undefined
  const offers = [...others.matchAll(/\w+: ("(?:[^"\\]|\\.)*"|[^\s"]+)/g)].map(([, said = '']) => {
    const path = said.startsWith('"') ? (JSON.parse(said) as string) : said
    return change(`No, ${path}`, { kind: 'set_field', field, path })
  })
  return [keep('Yes, it is as written'), ...offers, another(field)]
})
on(/the vendor's, which stands where yours is missing|the finer one where there is one/, ({ field }) => {
  return field && [keep('Yes, both'), another(field, 'No, another one…')]
})
on(/is another one in each record: is it the event's id\?/, () => {
  return [keep("Yes, the event's id"), change('No, it is none', withoutField('uuid'))]
})
on(/^nothing in the records names the event/, () => [
  keep('Yes, call each so'),
  choose('A better name…', { what: 'name' }),
  another('event', 'A column has the name…'),
])
on(/is it a name, or text of its own\?/, () => [keep('It is the name'), another('event')])
on(/^these rows are people: /, () => [
  keep('Yes, properties of people'),
  change('No, each row happened', { kind: 'set_rows', are: 'events' }),
  another('event', 'A column says what happened…'),
])
on(/are people by the file's name/, () => [
  another('event', 'A column says what happened…'),
  change('Each row is one event', { kind: 'set_field', field: 'event', path: '$table' }),
])
on(/Is it an id of one anonymous person\?$/, ({ keys }) => {
  const [path = ''] = saidPaths(keys, 'anonymous_id')
  const shared: Edit = { kind: 'remove_field', field: 'distinct_id', path }
  return [keep('Yes, of one person'), change('No, many share it', withoutField('anonymous_id'), shared)]
})
on(/is taken for an anonymous id: /, () => {
  return [keep('Yes, to one person'), change('No, it is none', withoutField('anonymous_id'))]
})
on(/delete the line anonymous_id/, () => {
  return [keep('Keep it as it is'), change('People share them: take it out', withoutField('anonymous_id'))]
})
on(/times have an unknown form/, () => {
  const more = choose('Take another column too…', { what: 'fallback', field: 'timestamp' })
  return [keep('Leave them out'), more]
})
on(/times are midnight: is the time of day/, ({ keys }) => {
  const [day] = saidPaths(keys, 'timestamp')
  if (day === undefined) return undefined
  return [keep('No, only days are known'), choose('In another column…', { what: 'time of day', day })]
})
on(/is it in another place too\? \[a, b\]/, ({ field }) => {
  return field && [keep('No, leave them out'), choose('Yes, in another one…', { what: 'fallback', field })]
})
on(/ could be of either order; or is it (.+)\?$/, ({ keys, words: [other = ''] }) => {
  const formats = textsAt(keys, 'time_format')
  const written = formats.find((format) => format !== other && lettersOf(format) === lettersOf(other))
  if (written === undefined) return undefined
  const turned = formats.map((format) => (format === written ? other : format))
  return [keep(written), change(other, { kind: 'set_formats', formats: turned })]
})
on(/October in Croatian: which is it\? Of Croatian, .* file$/, () => [
  keep('November'),
  look('October', 'mapping'),
])
on(/as deleted or outdated: left out/, () => [keep('Leave them out'), look('Import them…', 'mapping')])
on(/as deleted or outdated: they become/, () => [keep('Import them'), look('Leave them out…', 'mapping')])
on(/Does your app send such values as text\?/, () => [
  keep('No, of these types'),
  look('Change it…', 'mapping'),
])
on(/carry no zone: UTC\?$/, () => [keep('Yes, UTC'), zone()])
on(/or another zone with that clock\?$/, ({ keys }) => {
  return [keep(textsAt(keys, 'source_timezone')[0] ?? 'As it is written'), zone()]
})
on(/: of which zone\? source_timezone/, () => [zone('Choose the zone…'), keep('Leave it at UTC')])
on(/taken for a group's key/, ({ key }) => {
  return [keep('Yes, a group'), change('No group', { kind: 'set_group', type: key, path: null })]
})
on(/"groups: \{ (\S+): (\S+) \}" makes one of it$/, ({ words: [type = '', path = ''] }) => {
  return [keep('No group'), change('Make it a group', { kind: 'set_group', type, path })]
})
on(/(\{ type: .*\}) makes /, ({ key, words: [says = ''] }) => {
  const rules = [...says.matchAll(/\{ type: [^}]*\}/g)].flatMap(([text]) => ruleIn(text) ?? [])
  return [keep('Leave it text'), ...rules.map((rule) => change(labelOf(rule), typed(key, rule)))]
})
on(/as Excel counts days \(format: excel/, ({ section, key }) => {
  if (section !== 'columns') return [keep("Yes, Excel's days"), another('timestamp')]
  const days = typed(key, { type: 'time', formats: ['excel'] })
  return [keep('Only a number'), change('Days of Excel', days)]
})
on(/which PostHog rounds: as text they stay whole$/, () => {
  return [keep('As text'), change('As numbers', { kind: 'set_big_integers', as: null })]
})
on(/cells are not such a value.*: they stay text$/, ({ key }) => {
  return [keep('Leave these as text'), change('Make all of it text', typed(key, { type: 'text' }))]
})
on(/its members become properties of the event/, ({ key }) => {
  const whole = typed(key, { type: 'json' }, { to: null })
  return [keep('Yes, properties'), change('Keep it one object', whole)]
})

/** The answers of a question: what is written, and what could be. One that no pattern knows can be left as it is, or changed by hand. */
export function answersOf(text: string, place: QuestionPlace, keys: Asked['keys']): Answers {
  const field = MAPPED_FIELDS.find((one) => one === (place.key === 'time' ? 'timestamp' : place.key))
  for (const [question, answers] of ANSWERS) {
    const [found, ...words] = question.exec(text) ?? []
    const known = found === undefined ? undefined : answers({ ...place, words, keys, field })
    if (known) return known
  }
  return [keep('Leave it so'), look('Change the text…', 'mapping')]
}

/** Takes a list back, and the fields that lie in it. */
function wholeAgain(keys: Asked['keys']): Edit[] {
  const list = pathSegments(textsAt(keys, 'explode')[0] ?? '')[0]
  const inList = MAPPED_FIELDS.flatMap((field) =>
    saidPaths(keys, field)
      .filter((path) => pathSegments(path)[0] === list)
      .map((path): Edit => ({ kind: 'remove_field', field, path })),
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
