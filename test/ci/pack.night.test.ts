import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { nodesOf, packIn, projectWith } from '../helpers/packed.ts'

/** What the oldest and the newest can, those between them can: pack.test.ts has those two. */
const NODES = ['22.23.3', '24.21.0']

test('a history goes the whole way on each Node between the oldest and the newest', async () => {
  const folder = testFolder()
  const { tarball } = await packIn(folder)
  const [project, nodes] = await Promise.all([
    projectWith(tarball, join(folder, 'project'), []),
    nodesOf(NODES, join(folder, 'nodes')),
  ])
  const program = join(project, 'node_modules/posthaul/bin/posthaul.js')
  for (const version of NODES) {
    const demo = startProgram(nodes[version]!, [program, 'demo', '--events', '300'], { cwd: folder })
    const { code, stdout, stderr } = await demo.ended
    expect(code, version + stdout + stderr).toBe(0)
  }
})
