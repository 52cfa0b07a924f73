import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { copiesOf } from '../../src/inputs/copies.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { folderOf } from '../helpers/folder.ts'
import { makeZip } from '../helpers/zip.ts'

test('a file is the copy of one that is packed otherwise, of none that only has its name, and of no other partition', async () => {
  const [a, b] = ['event,user\nx,u1\n', 'event,user\ny,u2\n']
  const folder = folderOf({
    'a.csv': a,
    'a.csv.gz': gzipSync(a),
    'b.csv': b,
    'b.csv.gz': gzipSync('event,user\nz,u3\n'),
    'country=AT/d.csv': 'event,user\nw,u4\n',
    'country=DE/d.csv': 'event,user\nw,u4\n',
    'c.zip': makeZip([{ name: 'in/b.csv', data: Buffer.from(b) }]),
  })
  const copies = await copiesOf(await listInputs([folder]))
  expect(Object.fromEntries(copies)).toEqual({
    [join(folder, 'a.csv.gz')]: join(folder, 'a.csv'),
    [join(folder, 'c.zip')]: join(folder, 'b.csv'),
  })
})
