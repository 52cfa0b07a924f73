import type { ComponentChildren } from 'preact'
import { Name } from './name.tsx'

/** Names and their values, a line each. What has no value is left out; a text may be any that came with the data. */
export function FactList({
  facts,
}: {
  facts: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  return (
    <dl class="facts">
      {facts.map(([name, value], at) =>
        value === undefined ? null : (
          <div key={at}>
            <dt>{shown(name)}</dt>
            <dd>{shown(value)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

function shown(value: ComponentChildren) {
  return typeof value === 'string' ? <Name text={value} most={200} /> : value
}
