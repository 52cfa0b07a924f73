import type { AroundRow } from '../../around/index.ts'
import type { AroundProject, Listed } from '../../service/index.ts'

/** Puts insights and words on a dashboard, each where it was. What is there besides stays. Returns the dashboard then. */
export async function placeTiles(
  project: AroundProject,
  id: string,
  { tiles = [] }: AroundRow<'dashboards'>,
): Promise<Listed<'dashboards'>> {
  const before = await project.board(id)
  const there = new Set(before.tiles.flatMap(({ insight }) => insight ?? []))
  for (const { report } of tiles) {
    if (report === undefined || there.has(report)) continue
    await project.putOn(report, id)
    there.add(report)
  }
  const free = [...(await project.board(id)).tiles]
  const placed = tiles.map(({ report, text, layouts, color }) => {
    const at = free.findIndex((one) => (report === undefined ? one.text === text : one.insight === report))
    // Each is placed once: words may be there twice.
    const [tile] = at < 0 ? [] : free.splice(at, 1)
    return {
      ...(tile ? { id: tile.id } : { text: { body: text ?? '' } }),
      ...(layouts !== undefined && { layouts }),
      ...(color !== undefined && { color }),
    }
  })
  if (placed.length > 0) await project.placeTiles(id, placed)
  return (await project.board(id)).listed
}
