import type { Draft } from '../../mapping/preset.ts'
import { elements, members } from '../../record/json-values.ts'
import { elementOf, elementsChain } from '../elements-chain.ts'
import { snake } from './entities.ts'

/** What a tracker tells of the element that something was done to, by the event's name. */
interface Interaction {
  readonly action: 'click' | 'change' | 'submit'
  /** The element's tag, or the member that tells it. */
  readonly tag: string | { readonly member: string }
  /** Members, in snake case. */
  readonly id: string
  readonly classes: string
  readonly text?: string
  readonly href?: string
  /** What must not go out: somebody typed it. */
  readonly drop?: string
}

export const INTERACTIONS: Readonly<Record<string, Interaction>> = {
  link_click: {
    action: 'click',
    tag: 'a',
    id: 'element_id',
    classes: 'element_classes',
    text: 'element_content',
    href: 'target_url',
  },
  button_click: { action: 'click', tag: 'button', id: 'id', classes: 'classes', text: 'label' },
  submit_form: { action: 'submit', tag: 'form', id: 'form_id', classes: 'form_classes' },
  change_form: {
    action: 'change',
    tag: { member: 'node_name' },
    id: 'element_id',
    classes: 'element_classes',
    drop: 'value',
  },
}

/** Gives a click, change or submit the element that the service's own autocapture would have told. */
export function describeInteraction(event: string, data: string, draft: Draft): void {
  const kind = INTERACTIONS[event]
  if (!kind) return
  const told = new Map(members(data).map(([name, json]) => [snake(name), json]))
  const text = (name: string | undefined) => (name === undefined ? undefined : textIn(told.get(name)))
  const [id, href] = [text(kind.id), text(kind.href)]
  const tag = typeof kind.tag === 'string' ? kind.tag : (text(kind.tag.member) ?? 'input').toLowerCase()
  const content = text(kind.text)
  draft.text('$event_type', kind.action)
  draft.property('$ce_version', '1')
  if (content !== undefined) draft.text('$el_text', content)
  const classes = classesIn(told.get(kind.classes))
  draft.text('$elements_chain', elementsChain([elementOf({ tag, id, href, classes, text: content })]))
}

function textIn(json: string | undefined): string | undefined {
  return json?.startsWith('"') && json !== '""' ? (JSON.parse(json) as string) : undefined
}

function classesIn(json: string | undefined): string[] {
  return elements(json ?? '').flatMap((one) => textIn(one) ?? [])
}
