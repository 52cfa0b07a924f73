import { type Document, isMap, isNode, isScalar, isSeq, type Node, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { PosthaulError } from '../errors.ts'
import { constantJson, type ExpectedOutcome, type TestSource } from '../mapping/mapping-tests.ts'
import { elements, members } from '../record/json-values.ts'
import { textIn } from '../record/text.ts'
import { editedText, isJsonText } from '../studio/edit-mapping.ts'
import { documentOf, pairOf, set, yamlScalarText } from '../studio/yaml-nodes.ts'
import type { TestOutcome } from './run-test.ts'
import { isSameJson, nearestEvent } from './test-differences.ts'

// Tests as YAML: what is written keeps the comments and the order of the text.

/** A test that is written of a record and of what it became. */
export interface WrittenTest {
  readonly name: string
  readonly source: TestSource
  readonly table: string | undefined
  readonly outcome: TestOutcome
  /** That of its events it expects only name, person and time. */
  readonly brief?: true
}

/** A test that is to expect what came out. */
interface ChangedTest {
  /** Its place among the tests of the text. */
  readonly at: number
  readonly expected: ExpectedOutcome
  readonly outcome: TestOutcome
}

/** The text with tests after those that it has. One whose name is there gets another one. */
export function withTests(text: string, added: readonly WrittenTest[]): string {
  const document = documentOf(text)
  const known = document.get('tests')
  if (!isSeq(known)) set(document, ['tests'], [])
  const list = document.get('tests') as YAMLSeq
  const isJson = isJsonText(text)
  if (!isJson) list.flow = false
  for (const test of added) {
    const node = testNode(document, { ...test, name: freeName(list, test.name) })
    // In quotes of its own it needs no escapes, which JSON has no other way for.
    const record = node.get('record', true)
    // Without a single quote the text needs no escapes between two; with one it goes on a line of its own.
    if (!isJson && isScalar(record))
      record.type = String(record.value).includes("'") ? 'BLOCK_LITERAL' : 'QUOTE_SINGLE'
    list.add(node)
  }
  return editedText(document, text)
}

function freeName(list: YAMLSeq, name: string): string {
  const taken = new Set(list.items.map((one) => isMap(one) && yamlScalarText(one.get('name', true))))
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} (${number})`
    if (!taken.has(free)) return free
  }
}

/** The text, where the tests expect what came out. */
export function withOutcomes(text: string, changed: readonly ChangedTest[]): string {
  const document = documentOf(text)
  for (const one of changed) {
    const map = document.getIn(['tests', one.at], true)
    if (isMap(map)) expectOutcome(document, map, one)
  }
  return editedText(document, text)
}

function testNode(document: Document, { name, source, table, outcome, brief }: WrittenTest): YAMLMap {
  const map = new YAMLMap(document.schema)
  map.set('name', new Scalar(name))
  if (source.kind === 'row')
    map.set(
      'row',
      mapNode(document, Object.entries(source.cells), (cell) => cell),
    )
  else map.set('record', new Scalar(source.json))
  if (table !== undefined) map.set('table', table)
  if (brief && outcome.events.length > 0) {
    const list = new YAMLSeq(document.schema)
    for (const json of outcome.events) list.add(briefNode(document, json))
    map.set('includes', list)
    writeLink(document, map, outcome)
  } else writeOutcome(document, map, outcome, true)
  return map
}

function briefNode(document: Document, json: string): Node {
  const top = members(json).filter(([name]) => ['event', 'distinct_id', 'timestamp'].includes(name))
  return document.createNode(Object.fromEntries(top.map(([name, value]) => [name, textIn(value)])))
}

function expectOutcome(document: Document, map: YAMLMap, { expected, outcome }: ChangedTest): void {
  const { includes, leftOut, link, ...ends } = expected
  const isNew = [includes, leftOut, link, ...Object.values(ends)].every((one) => one === undefined)
  if (includes && outcome.events.length > 0) {
    const list = map.get('includes') as YAMLSeq
    for (const [at, part] of includes.entries()) {
      const node = list.items[at]
      if (isMap(node)) agree(document, node, nearestEvent(part, outcome.events)!, true)
    }
    const { rejected, filtered } = ends
    if (rejected) writeReasons(document, map, 'rejected', outcome.rejected)
    if (filtered) writeReasons(document, map, 'filtered', outcome.filtered)
  } else if (isNew || includes || Object.values(ends).some((one) => one !== undefined)) {
    map.delete('includes')
    writeOutcome(document, map, outcome, isNew)
  }
  if (leftOut) setList(document, map, 'left_out', outcome.leftOut)
  if (link) writeLink(document, map, outcome)
}

/** `all`: with what is left out, and the link. */
function writeOutcome(document: Document, map: YAMLMap, outcome: TestOutcome, all: boolean): void {
  const { events, rejected, filtered, leftOut } = outcome
  if (events.length === 0) map.delete('events')
  else {
    const known = map.get('events')
    const list = isSeq(known) ? known : new YAMLSeq(document.schema)
    if (list !== known) map.set('events', list)
    list.items.length = Math.min(list.items.length, events.length)
    for (const [at, json] of events.entries()) {
      const node = list.items[at]
      if (isMap(node)) agree(document, node, json, false)
      else list.items[at] = valueNode(document, json)
    }
  }
  writeReasons(document, map, 'rejected', rejected)
  writeReasons(document, map, 'filtered', filtered)
  if (!all) return
  if (leftOut.length > 0) setList(document, map, 'left_out', leftOut)
  writeLink(document, map, outcome)
}

function writeReasons(
  document: Document,
  map: YAMLMap,
  key: 'rejected' | 'filtered',
  reasons: readonly string[],
): void {
  if (reasons.length === 0) map.delete(key)
  else if (reasons.length === 1) map.set(key, reasons[0])
  else setList(document, map, key, reasons)
}

function writeLink(document: Document, map: YAMLMap, { link }: TestOutcome): void {
  if (!link) map.delete('link')
  else map.set('link', document.createNode(link))
}

function setList(document: Document, map: YAMLMap, key: string, words: readonly string[]): void {
  const list = document.createNode(words) as YAMLSeq
  list.flow = true
  map.set(key, list)
}

/** Makes a map agree with an object. Values that are the same stay as they are written. `within`: no other names are added. */
function agree(document: Document, map: YAMLMap, json: string, within: boolean): void {
  const wanted = new Map(members(json))
  for (const pair of [...map.items]) {
    const name = yamlScalarText(pair.key) ?? ''
    const value = wanted.get(name)
    if (value === undefined) {
      if (!(within && yamlScalarText(pair.value) === 'null')) map.delete(pair.key)
    } else if (isMap(pair.value) && value.startsWith('{')) agree(document, pair.value, value, within)
    else if (!isNode(pair.value) || !isSameJson(constantJson(pair.value.toJS(document)), value)) {
      const node = valueNode(document, value)
      if (isNode(pair.value)) node.comment = pair.value.comment ?? null
      pair.value = node
    }
  }
  if (within) return
  for (const [name, value] of wanted)
    if (!pairOf(map, name)) map.set(nameable(name), valueNode(document, value))
}

function mapNode(
  document: Document,
  entries: ReadonlyArray<readonly [name: string, value: string]>,
  nodeOf: (value: string) => unknown,
): YAMLMap {
  const map = new YAMLMap(document.schema)
  for (const [name, value] of entries) map.set(nameable(name), nodeOf(value))
  map.flow = map.items.length === 0
  return map
}

/** Code `input` for a name that no file of settings may have: with it, the whole file could not be read again. */
function nameable(name: string): string {
  if (name !== '__proto__') return name
  throw new PosthaulError(`a test can't hold the name ${name}`, {
    code: 'input',
    hint: 'make the test of another record',
  })
}

function valueNode(document: Document, json: string): Node {
  if (json.startsWith('{')) return mapNode(document, members(json), (value) => valueNode(document, value))
  if (json.startsWith('[')) {
    const list = new YAMLSeq(document.schema)
    for (const value of elements(json)) list.add(valueNode(document, value))
    list.flow = true
    return list
  }
  if (/^-?\d+$/.test(json)) return new Scalar(BigInt(json))
  return new Scalar(json.startsWith('"') ? textIn(json) : JSON.parse(json))
}
