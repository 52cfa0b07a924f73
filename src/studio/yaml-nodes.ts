import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  YAMLMap,
  YAMLSeq,
} from 'yaml'
import { PosthaulError } from '../errors.ts'

// Changes of a YAML document that keep its comments, its order and its numbers.

/** Reads a document, also one with mistakes. */
export function documentOf(text: string): Document {
  return parseDocument(text, { intAsBigInt: true, prettyErrors: false, uniqueKeys: false })
}

export type Path = readonly [string, ...string[]]

export function setOrRemove(document: Document, path: Path, value: string | readonly string[] | null): void {
  if (value === null) remove(document, path)
  else set(document, path, value)
}

/** Sets a value; the maps on the way to it are made where they are missing or hold nothing. */
export function set(document: Document, path: Path, value: unknown): void {
  const map = mapAt(document, path.slice(0, -1))
  const key = path.at(-1)!
  const pair = pairOf(map, key)
  const node = document.createNode(value)
  // As short lists and maps are written.
  if (isMap(node) || isSeq(node)) node.flow = true
  if (!pair) {
    const made = document.createNode(key)
    // Comments below the last line so far, such as a question, stay below that.
    if (map.items.length > 0) [made.commentBefore, map.comment] = [map.comment ?? null, null]
    map.set(made, node)
  }
  // The scalar keeps its comment, and how it is quoted.
  else if (isScalar(pair.value) && isScalar(node) && typeof pair.value.value === typeof node.value)
    pair.value.value = node.value
  else {
    const { comment, commentBefore } = isNode(pair.value) ? pair.value : {}
    pair.value = Object.assign(node, { comment: comment ?? null, commentBefore: commentBefore ?? null })
  }
}

export function addTo(document: Document, path: Path, name: string): void {
  const list = listAt(document, path)
  if (!list.items.some((item) => yamlScalarText(item) === name)) list.add(document.createNode(name))
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

export function takeFrom(document: Document, path: Path, name: string): void {
  const list = document.getIn(path, true)
  if (!isSeq(list)) return
  list.items = list.items.filter((item) => yamlScalarText(item) !== name)
  if (list.items.length === 0) remove(document, path)
}

/** Removes a key, and the maps around it that have nothing left and no comment. */
export function remove(document: Document, path: Path): void {
  const holder = document.getIn(path.slice(0, -1), true)
  const key = path.at(-1)
  if (!isMap(holder) || !holder.items.some((pair) => yamlKey(pair) === key)) return
  const at = holder.items.findIndex((pair) => yamlKey(pair) === key)
  const questions = questionsBefore(holder.items[at]!)
  holder.items = holder.items.filter((pair) => yamlKey(pair) !== key)
  if (questions !== '') putBefore(holder, at, questions)
  for (let depth = path.length - 1; depth > 0; depth--) {
    const map = document.getIn(path.slice(0, depth), true)
    if (!isMap(map) || map.items.length > 0 || map.comment || map.commentBefore) return
    document.deleteIn(path.slice(0, depth))
  }
}

/** The questions of a draft that stand between the pair and the one before it, which they are about. */
function questionsBefore({ key }: Pair): string {
  const lines = (isNode(key) ? (key.commentBefore ?? '') : '').split('\n')
  let isQuestion = false
  return lines
    .filter((line) => {
      isQuestion = /^ +\? /.test(line) || (isQuestion && line.startsWith('   '))
      return isQuestion
    })
    .join('\n')
}

function putBefore(holder: YAMLMap, at: number, comment: string): void {
  const next = holder.items[at]?.key
  const joined = (after: string | null | undefined) => [comment, ...(after ? [after] : [])].join('\n')
  if (isNode(next)) next.commentBefore = joined(next.commentBefore)
  else holder.comment = joined(holder.comment)
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
export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.findLast((pair) => yamlKey(pair) === key)
}

/** A key as who reads the file has it: `123:` without quotes is text too. */
function yamlKey({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value ?? '') : undefined
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

export function yamlScalarText(node: unknown): string | undefined {
  return isScalar(node) ? String(node.value) : undefined
}

function noPlace(path: readonly string[]): PosthaulError {
  return new PosthaulError(`${path.length === 0 ? 'the text' : path.join('.')} has another form there`, {
    code: 'input',
    hint: 'change the text by hand',
  })
}
