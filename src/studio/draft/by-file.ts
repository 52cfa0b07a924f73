import type { InputFile } from '../../inputs/input-file.ts'
import { textIn } from '../../record/text.ts'
import { groupedBy } from '../../text/lists.ts'
import { firstFew } from '../../text/words.ts'
import { kindOf, type ValueKind } from '../profile/kind.ts'
import { UNKNOWN_SIGN } from '../profile/number-guess.ts'
import type { Profile } from '../profile/profiles-of.ts'
import { askedApart, type Facts } from './draft-facts.ts'
import { inComment } from './yaml-text.ts'

const MOST_NAMED = 3

/**
 * What is asked where one file tells the order of days and months, or the decimal sign, and another could be of either: it
 * may come from a place with other habits. `files`: the file of each record.
 */
export function perFileDraft(facts: Facts, files: readonly InputFile[], now: number): string[] {
  if (facts.list !== undefined || new Set(files).size < 2) return []
  return facts.profiles.flatMap((profile) => {
    const read = readAs(profile)
    if (read === undefined) return []
    const { member } = profile
    const groups = groupedBy([...member.at.keys()], (i) => files[member.at[i]!]!)
    const open = [...groups].flatMap(([{ name }, places]) => {
      const values = places.map((i) => member.values[i]!)
      const known = new Set(values.map((json) => textIn(json).trim()))
      const alone = { ...member, values, texts: member.texts.filter((text) => known.has(text)) }
      return isOpen(kindOf(alone, facts.isText, now)) ? [inComment(name)] : []
    })
    if (open.length === 0) return []
    return askedApart(
      `${inComment(member.name)} is read as ${read}, as other files tell; nothing in ${firstFew(open, MOST_NAMED)} does. Do all come from one program and place? Else give those a mapping file of their own`,
    )
  })
}

function isOpen(kind: ValueKind): boolean {
  return kind.kind === 'time' ? kind.time.order?.isSure === false : kind.odd.why === UNKNOWN_SIGN
}

/** How values are read that could be read otherwise; undefined for others. */
function readAs({ kind }: Profile): string | undefined {
  if (kind.kind === 'number') return "numbers with the decimal sign '.'"
  if (kind.kind === 'money') return `numbers with the decimal sign '${kind.form.decimal}'`
  return kind.kind === 'time' && kind.time.order?.isSure ? kind.time.words : undefined
}
