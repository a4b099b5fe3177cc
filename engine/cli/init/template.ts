/** ⇄ The files of a new application, made of the templates in the folder beside this one. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('./template', import.meta.url))
/** npm leaves out what is called `.gitignore`, compilers take what ends in `.ts`: so templates are called otherwise. */
const SUFFIX = '.template'
const DOT = /(^|\/)dot-/g

/** The files of a folder of templates by their paths, with `{{ words }}` put in; throws where a template asks for a word that is not given. */
export async function filesOf(
  words: Readonly<Record<string, string>>,
  folder = FOLDER,
): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const files = paths.sort().map(async (path) => {
    const name = relative(folder, path).split(sep).join('/').slice(0, -SUFFIX.length).replace(DOT, '$1.')
    return [name, filled(await readFile(path, 'utf8'), words)] as const
  })
  return new Map(await Promise.all(files))
}

function filled(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const word = words[name]
    if (word === undefined) throw new Error(`A template asks for {{${name}}}, which is not known`)
    return word
  })
}
