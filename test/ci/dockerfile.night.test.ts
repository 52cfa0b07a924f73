import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startInContainer } from '../helpers/container.ts'
import { build, contextNames, dockerfile } from '../helpers/dockerfile.ts'
import { makeFolder } from '../helpers/folder.ts'
import { bytesIn } from '../helpers/packed.ts'
import { isNear, saidSize } from '../helpers/said-size.ts'

/*
 * What `docker build` would do, done in a folder: there is no docker here. The last stage has no RUN, so its tree is what
 * the one before it made. It is run in a container of bubblewrap, as a strict cluster would.
 */
/** Made by the build, in the image too. */
const BUILT = ['dist']
const folder = makeFolder()
const image = join(folder, 'image')
const [first, last] = dockerfile() as [ReturnType<typeof dockerfile>[0], ReturnType<typeof dockerfile>[0]]
const oneOf = (name: string) => last.find((instruction) => instruction.name === name)!

beforeAll(async () => {
  await build(first, join(folder, 'build'))
  await build(last, image, { build: join(folder, 'build') })
})

test('the image is built on Debian, without a command of its own to run, and runs as nobody', () => {
  expect(dockerfile()).toHaveLength(2)
  expect(first[0]!.text).toBe('node:24-bookworm-slim AS build')
  expect(last[0]!.text).toBe('debian:bookworm-slim')
  expect(last.filter(({ name }) => name === 'RUN')).toEqual([])
  expect(oneOf('USER').text).toMatch(/^[1-9]\d+:[1-9]\d+$/)
  expect(oneOf('STOPSIGNAL').text).toBe('SIGTERM')
  const [owner] = last.filter(({ flags }) => flags.chown !== undefined)
  expect([owner!.flags.chown, owner!.words.at(-1)]).toEqual([oneOf('USER').text, oneOf('WORKDIR').text])
})

test('the context has what the package and the build need, and nothing else', () => {
  const { files, scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  const needed = files
    .map((path: string) => path.split('/')[0])
    .filter((name: string) => !BUILT.includes(name))
  expect(contextNames()).toEqual(expect.arrayContaining([...needed, 'README.md', 'LICENSE']))
  for (const [, script] of `${scripts.build}`.matchAll(/\b(scripts\/\S+)/g))
    expect(contextNames()).toContain(script!.split('/')[0])
  for (const name of ['.git', 'node_modules', 'dist', 'test']) expect(contextNames()).not.toContain(name)
})

test('both names lead to the program, and its entry is one of them', () => {
  const names = readdirSync(join(image, 'usr/local/bin')).filter((name) => name !== 'node')
  expect(names).toEqual(['posthaul', 'tool'])
  expect(names).toContain(JSON.parse(oneOf('ENTRYPOINT').text)[0])
  for (const name of names) {
    const target = readlinkSync(join(image, 'usr/local/bin', name))
    expect(statSync(join(image, target)).mode & 0o111).toBe(0o111)
  }
})

test('it holds the package and what that depends on, and no tool that only tests or builds', () => {
  const packages = readdirSync(join(image, 'app/node_modules'))
  expect(packages).toEqual(expect.arrayContaining(['@duckdb', 'undici', 'zod']))
  for (const name of ['typescript', 'vitest', '@biomejs', 'npm']) expect(packages).not.toContain(name)
  expect(readdirSync(join(image, 'app'))).toEqual(
    expect.arrayContaining(['LICENSE', 'bin', 'dist', 'docs', 'package.json']),
  )
  expect(readdirSync(join(image, 'data'))).toEqual([])
})

test('README says what it adds to Debian', () => {
  const added = bytesIn(image) / 1e6
  console.log(`the image: ${added.toFixed(0)} MB more than Debian`)
  expect(saidSize('what the [Dockerfile](Dockerfile) adds')).toSatisfy((said: number) => isNear(said, added))
})

test('with a root that nobody can write to, no home and no rights it does a whole migration', async () => {
  // Beside it nothing of the build may be needed.
  rmSync(join(folder, 'build'), { recursive: true })
  const run = startInContainer(['demo', '--events', '300'], {
    hostname: 'pod-0',
    app: join(image, 'app'),
    tmpMib: 256,
  })
  const { code, stdout, stderr } = await run.ended
  expect(code, stdout + stderr).toBe(0)
})
