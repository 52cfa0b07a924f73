import { type Document, isAlias, isMap, isScalar, isSeq, visit } from 'yaml'
import { PosthaulError } from '../errors.ts'
import { isTooDeep, yamlFault } from '../mapping/settings-text.ts'
import type { Edit } from './server/requests.ts'
import { isAnsweredBy } from './setup/answers.ts'
import { type Edits, type PresetName, SETUP_EDITS } from './setup/setup-edits.ts'
import { settleQuestion, setupOf } from './setup/setup-of.ts'
import { addTo, documentOf, remove, set, takeFrom } from './yaml-nodes.ts'

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
  assertAnchored(document)
  return editedText(document, yaml)
}

const dropProperty = ['properties', 'drop'] as const
const dropEvent = ['events', 'drop'] as const

/** How the text is changed, by the kind of the edit. */
const EDITS: Edits = {
  ...SETUP_EDITS,
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

/** Throws if the change took away what an alias in the rest of the text stands for. */
function assertAnchored(document: Document): void {
  const anchors = new Set<string>()
  visit(document, (_, node) => {
    if (isAlias(node)) {
      if (!anchors.has(node.source)) throw stillUsed(node.source)
    } else if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) anchors.add(node.anchor)
  })
}

function unreadable(why: string): PosthaulError {
  return new PosthaulError(`the mapping can't be read: ${why}`, {
    code: 'config',
    hint: 'mend the text first',
  })
}

function stillUsed(anchor: string): PosthaulError {
  return new PosthaulError(`the change removes &${anchor}, which *${anchor} elsewhere stands for`, {
    code: 'input',
    hint: `write out what *${anchor} stands for by hand, then change it again`,
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
