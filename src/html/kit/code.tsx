import { visible } from '../../text/index.ts'

/** Commands, JSON or YAML as they are typed: line ends are kept, other control characters are shown. */
export function Code({ text }: { text: string }) {
  return (
    <pre class="code">
      <code>{text.split('\n').map(visible).join('\n')}</code>
    </pre>
  )
}
