import { elementsChain } from '../../mapping/elements-chain.ts'
import type { Draft, RecordView } from '../../mapping/preset.ts'

/** Gives an event of the browser library what the service keeps of the element that it happened to. */
export function describeElement(record: RecordView, draft: Draft, action: string): void {
  draft.text('$event_type', action)
  draft.property('$ce_version', '1')
  const tag = record.text('el_tag')
  if (tag === undefined) return
  const attributes = new Map<string, string>()
  for (const name of ['id', 'href']) {
    const value = record.text(`el_${name}`)
    if (value !== undefined) attributes.set(name, value)
  }
  const classes =
    record
      .text('el_class')
      ?.split(/\s+/)
      .filter((one) => one !== '') ?? []
  const text = record.text('el_text')
  draft.text(
    '$elements_chain',
    elementsChain([
      { tag: tag.toLowerCase(), classes, attributes, text, nthChild: undefined, nthOfType: undefined },
    ]),
  )
}
