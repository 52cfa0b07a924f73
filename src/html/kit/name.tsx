import { visible } from '../../text/index.ts'

const MOST = 60
const MOST_IN_TITLE = 1000

/**
 * A name that came with the data (an event, a property, a file), which may be anything. Control characters and lone
 * surrogates are shown as what they are; a long name is cut to `most` letters, with the whole in its title.
 */
export function Name({ text, most = MOST }: { text: string; most?: number }) {
  const short = shortName(text, most)
  const whole = shortName(text, MOST_IN_TITLE)
  return (
    <bdi class="name" title={short === whole ? undefined : whole}>
      {short === '' ? <em class="soft">(empty)</em> : short}
    </bdi>
  )
}

/** The same as plain text, for titles and attributes. */
export function shortName(text: string, most: number = MOST): string {
  // Cut before it is looked at, since a name can have megabytes, and after, since one letter can be shown by nine.
  const letters = [...visible([...text.slice(0, most * 2 + 2)].slice(0, most + 1).join(''))]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('')
}
