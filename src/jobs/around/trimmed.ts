import type { AroundRow } from '../../around/index.ts'

type Words = Partial<AroundRow<'annotations'> & AroundRow<'dashboards'>>

/**
 * A row with its words as the service keeps them: without blanks and line ends around them (the CharField of Django REST
 * framework, whose `trim_whitespace` is on). Blocks of YAML end with one. The names of definitions are those of the events.
 */
export function trimmed<R extends AroundRow>(row: R): R {
  const { name, text, description, tiles } = row as Words
  return {
    ...row,
    ...('id' in row && name !== undefined && { name: name.trim() }),
    ...(text !== undefined && { text: text.trim() }),
    ...(description !== undefined && { description: description.trim() }),
    ...(tiles && {
      tiles: tiles.map((tile) => ({
        ...tile,
        ...(tile.text !== undefined && { text: tile.text.trim() }),
      })),
    }),
  }
}
