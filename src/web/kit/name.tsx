import { visible } from '../../report/visible.ts'

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
  // Cut before it is looked at: a name can have megabytes. A letter may take several units, so some are left over.
  const letters = [...text.slice(0, most * 2 + 2)]
  const cut = letters.length > most
  return visible(cut ? letters.slice(0, most - 1).join('') : letters.join('')) + (cut ? '…' : '')
}
