/** ⇄ The files of a new application, made of the templates in the folders beside this one. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the application is made from: an example, or a database that is there already. */
export type Kind = 'sample' | 'from'

const folderOf = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url))
/** npm leaves out what is called `.gitignore`, compilers take what ends in `.ts`: so templates are called otherwise. */
const SUFFIX = '.template'
const DOT = /(^|\/)dot-/g

/** What is put into templates, by name. */
type Words = Readonly<Record<string, string>>

/** The files by their paths, with `{{ words }}` put in; throws where a template asks for a word that is not given. */
export async function filesOf(kind: Kind, words: Words): Promise<ReadonlyMap<string, string>> {
  const [common, own] = [await filesIn(folderOf('template'), words), await filesIn(folderOf(`template-${kind}`), words)]
  return new Map([...common, ...own])
}

/** The one file of a kind of application that says what it is. */
export async function appOf(kind: Kind, words: Words): Promise<string> {
  const path = join(folderOf(`template-${kind}`), 'resources', `app.yaml${SUFFIX}`)
  return filled(await readFile(path, 'utf8'), words)
}

/** The files of a folder of templates, in the same way. */
export async function filesIn(folder: string, words: Words): Promise<ReadonlyMap<string, string>> {
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

function filled(text: string, words: Words): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const word = words[name]
    if (word === undefined) throw new Error(`A template asks for {{${name}}}, which is not known`)
    return word
  })
}
