import type { Notes } from '../record/notes.ts'

/** What was noticed on the way, as results have it. */
export function notesJson({ mends, duplicate_keys, big_integers, ignored_members, unusable }: Notes) {
  return {
    mends: { ...mends, duplicate_keys },
    big_integers: { ...big_integers },
    ignored_members: { ...ignored_members },
    unusable: { ...unusable },
  }
}

/** What was noticed, as a program is told it. */
export function notesIn({ mends, ...others }: ReturnType<typeof notesJson>): Omit<Notes, 'import_ids'> {
  const { duplicate_keys, ...mended } = mends
  const { big_integers, ignored_members, unusable } = others
  return { mends: mended, duplicate_keys, big_integers, ignored_members, unusable }
}
