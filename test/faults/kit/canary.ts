import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Digits that a text's first and last group of three bytes share with what is before and after it. */
const SHARED = 4

/** Every form of a secret that a file or a stream is searched for, by its name. */
export function formsOf(secret: string): ReadonlyMap<string, string> {
  const json = JSON.stringify(secret).slice(1, -1)
  const escaped = (upper: boolean) =>
    [...secret]
      .map((char) => char.charCodeAt(0).toString(16).padStart(4, '0'))
      .map((hex) => `\\u${upper ? hex.toUpperCase() : hex}`)
      .join('')
  const forms = new Map([
    ['plain', secret],
    ['plain, its prefix left out', secret.slice(4)],
    ['all but its end', secret.slice(0, -3)],
    ['as JSON', json],
    ['as JSON in JSON', JSON.stringify(json).slice(1, -1)],
    ['as escapes', escaped(false)],
    ['as escapes in capitals', escaped(true)],
    ['for a URL', encodeURIComponent(secret)],
    ['for a form', new URLSearchParams({ a: secret }).toString().slice(2)],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['in capitals', secret.toUpperCase()],
    ['in HTML', [...secret].map((char) => `&#${char.charCodeAt(0)};`).join('')],
  ])
  for (const before of ['', 'x', 'xx']) {
    const coded = Buffer.from(`${before}${secret}`).toString('base64')
    const core = coded.replace(/=+$/, '').slice(before === '' ? 0 : SHARED, -SHARED)
    forms.set(`in base64 after ${before.length} bytes`, core)
    forms.set(`in base64url after ${before.length} bytes`, core.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

/** Where the secrets stand: `place: form`, for each text and each form that is found there. */
export function findSecrets(texts: ReadonlyMap<string, string>, secrets: readonly string[]): string[] {
  const found: string[] = []
  for (const secret of secrets) {
    for (const [form, text] of formsOf(secret)) {
      for (const [place, content] of texts) if (content.includes(text)) found.push(`${place}: ${form}`)
    }
  }
  return found
}

/** The bytes of every file below the folders, names included; those packed with gzip unpacked as well. */
export function textsBelow(...folders: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true }) as string[]) {
      const path = join(folder, name)
      texts.set(`name ${path}`, name)
      if (!statSync(path).isFile()) continue
      const bytes = readFileSync(path)
      texts.set(path, bytes.toString('latin1'))
      if (bytes[0] === 0x1f && bytes[1] === 0x8b)
        texts.set(`${path} unpacked`, gunzipSync(bytes).toString('latin1'))
    }
  }
  return texts
}
