import { join } from 'node:path'
import { EXIT, PosthaulError } from '../errors.ts'
import { OUT, useOptions } from '../options/index.ts'
import { makeFolder, writeFileAtomic } from '../store/index.ts'
import type { CommandModule } from './command.ts'
import { type ManPage, manPages } from './shell/man.ts'
import { treeOf } from './shell/tree.ts'

const MAN_ROWS = [{ ...OUT, flag: '--out <folder>', help: 'write all pages into this folder' }] as const

const HELP = `
Examples:
  posthaul man import | man -l -
  posthaul man --out ~/.local/share/man/man1

npm install --global posthaul brings the pages: man posthaul-import.`

/** `man`: the manual, made from the options that all commands declare. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[command...]', 'the command whose page it is; posthaul itself by default')
  command.addHelpText('after', HELP)
  useOptions(command, MAN_ROWS, io.env, async ({ values: { out } }, words) => {
    const pages = command.parent ? manPages(treeOf(command.parent)) : []
    if (out === undefined) io.stdout.write(pageFor(words, pages).text)
    else await writePages(out, pages)
    exit(EXIT.done)
  })
}

async function writePages(folder: string, pages: readonly ManPage[]): Promise<void> {
  await makeFolder(folder)
  for (const { name, text } of pages) await writeFileAtomic(join(folder, `${name}.1`), text)
}

function pageFor(words: readonly string[], pages: readonly ManPage[]): ManPage {
  const name = ['posthaul', ...words].join('-')
  const page = pages.find((one) => one.name === name)
  if (page) return page
  throw new PosthaulError(`no page is called ${name}`, {
    code: 'usage',
    hint: 'posthaul --help lists the commands; without one it is the page of posthaul',
  })
}
