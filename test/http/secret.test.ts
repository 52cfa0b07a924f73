import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { format, inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { redactorOf } from '../../src/http/redact.ts'
import { Secret } from '../../src/http/secret.ts'
import { isPrivate, readSecret } from '../../src/options/read-secret.ts'
import { makeFolder } from '../helpers/folder.ts'

const spec = { variable: 'SOME_KEY' }
const piped = { ...spec, fromStdin: true }
const pipe = (text: string) => Readable.from([Buffer.from(text)])
const folder = makeFolder()

async function keyFile(content: string, mode: number): Promise<string> {
  const path = join(folder, `key-${mode.toString(8)}-${content.length}`)
  await writeFile(path, content)
  await chmod(path, mode)
  return path
}

describe('a secret', () => {
  const secret = new Secret('phc_hush', 'a test')
  test('prints as [redacted] whichever way it is printed', () => {
    const printed = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
      format('%s %o %O %j', secret, secret, secret, secret),
    ].join('\n')
    expect(printed).not.toContain('hush')
    expect(printed).toContain('[redacted]')
  })
  test('can be told apart without being shown', () => {
    expect(secret.fingerprint()).toMatch(/^[0-9a-f]{16}$/)
    expect(secret.fingerprint()).not.toBe(new Secret('phc_hush2', 'a test').fingerprint())
  })
})

describe('reading one', () => {
  test('from the environment', async () => {
    const secret = await readSecret(spec, { SOME_KEY: ' phc_env\n' }, pipe(''))
    expect([secret?.reveal(), secret?.from]).toEqual(['phc_env', 'SOME_KEY'])
  })
  test('from standard input, which beats the environment', async () => {
    const secret = await readSecret(piped, { SOME_KEY: 'phc_env' }, pipe('phc_pipe\n'))
    expect(secret?.reveal()).toBe('phc_pipe')
  })
  test('from a private file that the environment or the config file names', async () => {
    const path = await keyFile('phc_file\n', 0o600)
    const secret = await readSecret(spec, { SOME_KEY_FILE: path }, pipe(''))
    expect([secret?.reveal(), secret?.from]).toEqual(['phc_file', `${path} (SOME_KEY_FILE)`])
    const file = { value: path, from: 'projectKeyFile in posthaul.config.json' }
    expect((await readSecret({ ...spec, file }, {}, pipe('')))?.reveal()).toBe('phc_file')
    const gone = { ...file, value: `${path}.gone` }
    expect((await readSecret({ ...spec, file: gone }, { SOME_KEY_FILE: path }, pipe('')))?.reveal()).toBe(
      'phc_file',
    )
  })
  test.each(['x', 'xy'])('of %j is refused, since it could not be taken out of words', async (text) => {
    await expect(readSecret(spec, { SOME_KEY: text }, pipe(''))).rejects.toMatchObject({
      code: 'config',
      message: 'SOME_KEY holds fewer than 3 characters, which is no key',
    })
    expect(redactorOf([new Secret(text, 'a test')]).text('the proxy is next')).toBe('the proxy is next')
  })

  test('nowhere', async () => expect(await readSecret(spec, {}, pipe(''))).toBeUndefined())

  test.each([0o644, 0o640, 0o604, 0o660])('not from a file others can read (%o)', async (mode) => {
    const path = await keyFile('phc_open', mode)
    await expect(readSecret(spec, { SOME_KEY_FILE: path }, pipe(''))).rejects.toMatchObject({
      code: 'config',
      hint: `chmod 600 ${path}`,
    })
  })
  test.each([
    ['0440 of root, as Kubernetes mounts a secret with fsGroup', 0o440, 0, 1000, true],
    ['0400 of root', 0o400, 0, 1000, true],
    ['0600 of the user', 0o600, 1000, 1000, true],
    ['0444 of root, as Kubernetes mounts one without a mode', 0o444, 0, 1000, false],
    ['0460 of root: the group could put in another key', 0o460, 0, 1000, false],
    ['0440 of the user: the group are others', 0o440, 1000, 1000, false],
    ['0440 of another user', 0o440, 1001, 1000, false],
    ['0440 of root, who is the user: nobody gave it', 0o440, 0, 0, false],
  ])('a file is private: %s', (_, mode, uid, user, yes) => {
    expect(isPrivate({ mode: 0o100000 | mode, uid }, user)).toBe(yes)
  })

  test.each(['', 'two words', 'two\nlines', 'phc_\u00e9', 'x'.repeat(5000)])(
    'not from %j',
    async (content) => {
      await expect(readSecret(piped, {}, pipe(content))).rejects.toThrow('does not hold a key')
    },
  )
  test('not from a terminal', async () => {
    const terminal = Object.assign(pipe(''), { isTTY: true })
    await expect(readSecret(piped, {}, terminal)).rejects.toThrow('terminal')
  })
  test('not from a file that is missing', async () =>
    expect(readSecret(spec, { SOME_KEY_FILE: join(folder, 'gone') }, pipe(''))).rejects.toThrow(
      /gone \(SOME_KEY_FILE\): there is no such file/,
    ))
})
