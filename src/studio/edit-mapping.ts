import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { PosthaulError } from '../errors.ts'
import { isTooDeep } from '../mapping/nesting.ts'
import type { Edit } from './studio-data.ts'

/** The name that the preset gives an event of the source. */
export type PresetName = (source: string) => string

type Path = readonly [string, ...string[]]

/** Two names for one list: the events that are kept when all others are left out. */
const KEEP_LISTS: readonly Path[] = [
  ['events', 'keep'],
  ['filter', 'events'],
]

/**
 * The text of a mapping file after one change; comments, order and numbers stay as they are. Text that is JSON stays JSON.
 * Code `config` for text that is no mapping file, and `input` for a change that has no place in it. Whether the new text
 * is a mapping file that can be used is for who reads it next.
 */
export function editMapping(yaml: string, edit: Edit, presetName: PresetName): string {
  if (isTooDeep(yaml)) throw unreadable('it nests too deep')
  const document = parseDocument(yaml, { intAsBigInt: true, prettyErrors: false, uniqueKeys: false })
  const [broken] = document.errors
  if (broken) throw unreadable(broken.message)
  change(document, edit, presetName)
  assertAnchored(document)
  return textOf(document, yaml)
}

function change(document: Document, edit: Edit, presetName: PresetName): void {
  switch (edit.kind) {
    case 'drop_event':
      addTo(document, ['events', 'drop'], edit.event)
      break
    case 'keep_event':
      for (const name of [edit.event, presetName(edit.event)]) takeFrom(document, ['events', 'drop'], name)
      for (const list of KEEP_LISTS) if (isSeq(document.getIn(list))) addTo(document, list, edit.event)
      break
    case 'rename_event':
      set(document, ['events', 'rename', edit.event], edit.to)
      break
    case 'reset_event':
      for (const name of [edit.event, presetName(edit.event)]) remove(document, ['events', 'rename', name])
      break
    case 'drop_property':
      addTo(document, ['properties', 'drop'], edit.property)
      break
    case 'keep_property':
      takeFrom(document, ['properties', 'drop'], edit.property)
      break
    case 'rename_property':
      takeFrom(document, ['properties', 'drop'], edit.property)
      set(document, ['properties', 'rename', edit.property], edit.to)
      break
    case 'reset_property':
      remove(document, ['properties', 'rename', edit.property])
      break
    case 'set_field':
      setOrRemove(document, ['fields', edit.field], edit.path)
      // Of the two, a file has one.
      if (edit.field === 'timestamp') remove(document, ['fields', 'time'])
      break
    case 'set_group':
      setOrRemove(document, ['groups', edit.type], edit.path)
      break
    case 'set_preset':
      setFirst(document, 'preset', edit.preset)
      break
    case 'set_timezone':
      setOrRemove(document, ['source_timezone'], edit.zone)
  }
}

function setOrRemove(document: Document, path: Path, value: string | null): void {
  if (value === null) remove(document, path)
  else set(document, path, value)
}

/** Sets a value; the maps on the way to it are made where they are missing or hold nothing. */
function set(document: Document, path: Path, value: string): void {
  const map = mapAt(document, path.slice(0, -1))
  const key = path.at(-1)!
  const pair = pairOf(map, key)
  // The scalar keeps its comment.
  if (isScalar(pair?.value)) pair.value.value = value
  else if (pair) pair.value = document.createNode(value)
  else map.set(document.createNode(key), document.createNode(value))
}

/** A preset is what a reader looks for first. */
function setFirst(document: Document, key: string, value: string): void {
  const map = mapAt(document, [])
  if (map.has(key)) set(document, [key], value)
  else map.items.unshift(document.createPair(key, value))
}

function addTo(document: Document, path: Path, name: string): void {
  const list = listAt(document, path)
  if (!list.items.some((item) => textIn(item) === name)) list.add(document.createNode(name))
}

function listAt(document: Document, path: Path): YAMLSeq {
  const map = mapAt(document, path.slice(0, -1))
  const key = path.at(-1)!
  const known = map.get(key, true) as unknown
  if (isSeq(known)) return known
  if (!isEmpty(known)) throw noPlace(path)
  const list = withComments(new YAMLSeq(document.schema), known)
  map.set(key, list)
  return list
}

function takeFrom(document: Document, path: Path, name: string): void {
  const list = document.getIn(path, true)
  if (!isSeq(list)) return
  list.items = list.items.filter((item) => textIn(item) !== name)
  if (list.items.length === 0) remove(document, path)
}

/** Removes a key, and the maps around it that have nothing left and no comment. */
function remove(document: Document, path: Path): void {
  const holder = document.getIn(path.slice(0, -1), true)
  const key = path.at(-1)
  if (!isMap(holder) || !holder.items.some((pair) => keyOf(pair) === key)) return
  holder.items = holder.items.filter((pair) => keyOf(pair) !== key)
  for (let depth = path.length - 1; depth > 0; depth--) {
    const map = document.getIn(path.slice(0, depth), true)
    if (!isMap(map) || map.items.length > 0 || map.comment || map.commentBefore) return
    document.deleteIn(path.slice(0, depth))
  }
}

function mapAt(document: Document, path: readonly string[]): YAMLMap {
  if (isEmpty(document.contents)) document.contents = new YAMLMap(document.schema)
  const root = document.contents as unknown
  if (!isMap(root)) throw noPlace([])
  let map: YAMLMap = root
  for (const key of path) {
    const next = map.get(key, true) as unknown
    if (isMap(next)) {
      map = next
      continue
    }
    if (!isEmpty(next)) throw noPlace(path)
    const made = withComments(new YAMLMap(document.schema), next)
    map.set(key, made)
    map = made
  }
  return map
}

/** The pair of a key. Of several it is the last, as for who reads the file. */
function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.findLast((pair) => keyOf(pair) === key)
}

/** A key as who reads the file has it: `123:` without quotes is text too. */
function keyOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value ?? '') : undefined
}

/** Throws if the change took away what an alias in the rest of the text stands for. */
function assertAnchored(document: Document): void {
  const anchors = new Set<string>()
  visit(document, (_, node) => {
    if (isAlias(node)) {
      if (!anchors.has(node.source)) throw stillUsed(node.source)
    } else if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) anchors.add(node.anchor)
  })
}

/** A draft may have nothing but comments below a key: they stay, above what comes there now. */
function withComments<T extends YAMLMap | YAMLSeq>(made: T, empty: unknown): T {
  if (isScalar(empty)) made.commentBefore = empty.comment ?? null
  return made
}

/** True for nothing at all and for a key that is written without a value. */
function isEmpty(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && node.value === null)
}

function textIn(node: unknown): string | undefined {
  return isScalar(node) ? String(node.value) : undefined
}

function unreadable(why: string): PosthaulError {
  return new PosthaulError(`the mapping can't be read: ${why}`, {
    code: 'config',
    hint: 'mend the text first',
  })
}

function noPlace(path: readonly string[]): PosthaulError {
  return new PosthaulError(`${path.length === 0 ? 'the text' : path.join('.')} has another form there`, {
    code: 'input',
    hint: 'change the text by hand',
  })
}

function stillUsed(anchor: string): PosthaulError {
  return new PosthaulError(`the change removes &${anchor}, which *${anchor} elsewhere stands for`, {
    code: 'input',
    hint: `write out what *${anchor} stands for by hand, then change it again`,
  })
}

function textOf(document: Document, before: string): string {
  const isJson = /^\s*\{/.test(before)
  const indent = /^( +)\S/m.exec(before)?.[1]?.length ?? 2
  const options = {
    lineWidth: 0,
    indent: Math.min(8, Math.max(1, indent)),
    flowCollectionPadding: /[[{] /.test(before),
    // As a list is written most often: `drop:` and below it, further in, its names.
    indentSeq: !/^([ \t]*)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(before),
  }
  if (!isJson) return document.toString(options)
  const quoted = 'QUOTE_DOUBLE'
  return document.toString({ ...options, defaultKeyType: quoted, defaultStringType: quoted })
}
