import { type Document, isAlias, isMap, isScalar, isSeq, visit } from 'yaml'
import { PosthaulError } from '../errors.ts'
import { isTooDeep, yamlFault } from '../mapping/settings-text.ts'
import type { Edit } from './server/requests.ts'
import { isAnsweredBy } from './setup/answers.ts'
import { changeSetup } from './setup/setup-edits.ts'
import { settleQuestion, setupOf } from './setup/setup-of.ts'
import { addTo, documentOf, remove, set, takeFrom } from './yaml-nodes.ts'

/** The name that the preset gives an event of the source. */
type PresetName = (source: string) => string

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
  change(document, edit, presetName)
  assertAnchored(document)
  return editedText(document, yaml)
}

function change(document: Document, edit: Edit, presetName: PresetName): void {
  switch (edit.kind) {
    case 'drop_event':
      addTo(document, ['events', 'drop'], edit.event)
      break
    case 'keep_event':
      for (const name of [edit.event, presetName(edit.event)]) takeFrom(document, ['events', 'drop'], name)
      if (isSeq(document.getIn(['events', 'keep']))) addTo(document, ['events', 'keep'], edit.event)
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
    default:
      changeSetup(document, edit)
  }
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
