import { type Document, isMap, isScalar, isSeq } from 'yaml'
import { PosthaulError } from '../errors.ts'
import { FILL_IN } from '../mapping/mapping.ts'
import { isTooDeep, yamlFault } from '../mapping/settings-text.ts'
import { isAnsweredBy } from './setup/answers.ts'
import { settleQuestion, setupOf } from './setup/setup-of.ts'
import type { ColumnRule, Edit, EditableField } from './studio-data.ts'
import {
  addTo,
  documentOf,
  pairOf,
  remove,
  set,
  setOrRemove,
  takeFrom,
  yamlScalarText,
} from './yaml-nodes.ts'

/**
 * The text of a mapping file after one change, without the questions that it answers; comments, order and numbers stay as they are. Text that is JSON stays JSON.
 * Code `config` for text that is no mapping file, and `input` for a change that has no place in it. Whether the new text
 * is a mapping file that can be used is for who reads it next.
 */
export function editMapping(yaml: string, edit: Edit, presetName: PresetName): string {
  if (isTooDeep(yaml)) throw unreadable('it nests too deep')
  const asked = setupOf(yaml, false)?.questions ?? []
  const answered = asked.filter(({ answers }) => isAnsweredBy(answers, edit))
  const open = answered.reduce((text, question) => settleQuestion(text, question.text), yaml)
  const document = documentOf(open)
  const [broken] = document.errors
  if (broken) throw unreadable(yamlFault(broken).message)
  EDITS[edit.kind]?.(document, edit as never, presetName)
  try {
    return editedText(document, yaml)
  } catch (cause) {
    // The change took away what an alias in the rest of the text stands for.
    const hint = 'write out by hand what the alias stands for, then change it again'
    throw new PosthaulError((cause as Error).message, { code: 'input', hint, cause })
  }
}

const dropProperty = ['properties', 'drop'] as const
const dropEvent = ['events', 'drop'] as const

/** The name that the preset gives an event of the source. */
type PresetName = (source: string) => string

type Edits = {
  readonly [K in Edit['kind']]?: (
    document: Document,
    edit: Extract<Edit, { kind: K }>,
    presetName: PresetName,
  ) => void
}

/** How the text is changed, by the kind of the edit. What is not here is made into these: see said-columns.ts. */
const EDITS: Edits = {
  set_field(document, { field, path }) {
    // Without the line a preset may take a member for the id: null says that none is one.
    if (field === 'uuid' && path === null) set(document, ['fields', 'uuid'], null)
    else setOrRemove(document, ['fields', field], path)
    // Of the two, a file has one.
    if (field === 'timestamp') remove(document, ['fields', 'time'])
  },
  add_field(document, { field, path }) {
    const before = pathsOf(document, field)
    if (!before.includes(path)) setPaths(document, field, [...before, path])
    if (field === 'timestamp') remove(document, ['fields', 'time'])
  },
  remove_field(document, { field, path }) {
    const left = pathsOf(document, field).filter((one) => one !== path)
    setPaths(document, field, left)
  },
  set_day_and_time(document, { day, time, format }) {
    set(document, ['fields', 'time'], [day, time])
    remove(document, ['fields', 'timestamp'])
    if (format !== null) set(document, ['time_format'], format)
  },
  set_group: (document, { type, path }) => setOrRemove(document, ['groups', type], path),
  set_timezone: (document, { zone }) => setOrRemove(document, ['source_timezone'], zone),
  set_formats: (document, { formats }) => setOrRemove(document, ['time_format'], oneOrAll(formats)),
  set_big_integers: (document, { as }) => setOrRemove(document, ['big_integers'], as),
  set_explode(document, { path }) {
    setOrRemove(document, ['explode'], path)
    remove(document, ['explode_with'])
  },
  set_column: (document, { column, rule, to }) => setColumn(document, column, rule, to),
  drop_event: (document, { event }) => addTo(document, dropEvent, event),
  keep_event(document, { event }, presetName) {
    for (const name of [event, presetName(event)]) takeFrom(document, dropEvent, name)
    if (isSeq(document.getIn(['events', 'keep']))) addTo(document, ['events', 'keep'], event)
  },
  rename_event: (document, { event, to }) => set(document, ['events', 'rename', event], to),
  reset_event(document, { event }, presetName) {
    for (const name of [event, presetName(event)]) remove(document, ['events', 'rename', name])
  },
  drop_property: (document, { property }) => addTo(document, dropProperty, property),
  keep_property: (document, { property }) => takeFrom(document, dropProperty, property),
  rename_property(document, { property, to }) {
    takeFrom(document, dropProperty, property)
    set(document, ['properties', 'rename', property], to)
  },
}

function pathsOf(document: Document, field: EditableField): string[] {
  const node = document.getIn(['fields', field], true)
  const paths = isSeq(node) ? node.items.map(yamlScalarText) : [yamlScalarText(node)]
  return paths.filter((path): path is string => path !== undefined && path !== FILL_IN)
}

function setPaths(document: Document, field: EditableField, paths: readonly string[]): void {
  setOrRemove(document, ['fields', field], oneOrAll(paths))
}

/** A list of one is written as that one. */
function oneOrAll(list: readonly string[]): readonly string[] | string | null {
  return list.length > 1 ? list : (list[0] ?? null)
}

function setColumn(document: Document, column: string, rule: ColumnRule, to?: string | null): void {
  const place = to === undefined ? placeOf(document, column) : (to ?? undefined)
  const { type, formats, ...rest } = rule
  if (type === 'dropped') {
    set(document, ['columns', column], null)
    return
  }
  const format = formats && (formats.length > 1 ? formats : formats[0])
  const says = {
    ...(place !== undefined && { to: place }),
    ...(type !== 'text' && { type }),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...(format !== undefined && { format }),
  }
  const keys = Object.keys(says)
  if (keys.length === 0) remove(document, ['columns', column])
  else set(document, ['columns', column], keys.length === 1 && place !== undefined ? place : says)
}

/** Where the mapping file puts a column; undefined for its own name. */
function placeOf(document: Document, column: string): string | undefined {
  const columns = document.getIn(['columns'], true)
  const value = isMap(columns) ? pairOf(columns, column)?.value : undefined
  if (isMap(value)) return yamlScalarText(value.get('to', true))
  return isScalar(value) && value.value !== null ? yamlScalarText(value) : undefined
}

function unreadable(why: string): PosthaulError {
  return new PosthaulError(`the mapping can't be read: ${why}`, {
    code: 'config',
    hint: 'mend the text first',
  })
}

/** The text of a document that was changed, in the style of the text that it was read from. */
export function editedText(document: Document, before: string): string {
  const indent = /^( +)\S/m.exec(before)?.[1]?.length ?? 2
  const options = {
    lineWidth: 0,
    indent: Math.min(8, Math.max(1, indent)),
    flowCollectionPadding: /[[{] /.test(before),
    // As a list is written most often: `drop:` and below it, further in, its names.
    indentSeq: !/^([ \t]*)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(before),
  }
  if (!isJsonText(before)) return document.toString(options)
  const quoted = 'QUOTE_DOUBLE'
  return document.toString({ ...options, defaultKeyType: quoted, defaultStringType: quoted })
}

/** True for a mapping file in JSON, whose edits stay JSON. */
export function isJsonText(text: string): boolean {
  return /^\s*\{/.test(text)
}
