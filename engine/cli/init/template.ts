/** Files of a new application ⇄: made from the templates in the folders here, and written all or none. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileReason } from '../../error.ts'

/** The source of the application: an example, or a database. */
export type Kind = 'sample' | 'from'

/** The words by which the example names its plugin, where it has one. */
export const PLUGIN_WORDS = {
  office: '\n  office:                 # plugins/office, of this application\n    days: [1, 2, 3, 4, 5]',
  hooks:
    '\n\nhooks:        # plugins/office/index.ts\n  create: [office.working_days]\n  update: [office.working_days]',
  row: '\n| `plugins/office` | a plugin of this application, with a page in the console, and its test |',
}

/** The files of the example's plugin. */
export function filesOfPlugin(words: Words): Promise<ReadonlyMap<string, string>> {
  return filesIn(folderOf('template-plugin'), words)
}

export const folderOf = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url))
/**
 * npm leaves out files named `.gitignore`, and compilers read files that end in `.ts`; so templates have other names.
 */
const SUFFIX = '.template'
const DOT = /(^|\/)dot-/g

/** The words that templates can name. */
type Words = Readonly<Record<string, string>>

/** The files by their paths, with words in place of `{{ words }}`; throws where a template names an unknown word. */
export async function filesOf(kind: Kind, words: Words): Promise<ReadonlyMap<string, string>> {
  const [common, own] = [await filesIn(folderOf('template'), words), await filesIn(folderOf(`template-${kind}`), words)]
  return new Map([...common, ...own])
}

/** The file by which a kind of application is recognised. */
export async function appOf(kind: Kind, words: Words): Promise<string> {
  const path = join(folderOf(`template-${kind}`), 'resources', `app.yaml${SUFFIX}`)
  return filled(await readFile(path, 'utf8'), words)
}

/** The files of a folder of templates. */
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

/** A folder for an application: it does not exist, or holds nothing but a repository. */
interface Place {
  readonly folder: string
  readonly isThere: boolean
}

/** Throws when the folder holds anything that could be overwritten or mixed up. */
export async function placeFor(folder: string): Promise<Place> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error.code === 'ENOTDIR' ? new Error(`${folder} is a file`) : error
  })
  const others = (found ?? []).filter((name) => name !== '.git').sort()
  if (others.length === 0) return { folder, isThere: found !== undefined }
  const shown = others.length > 3 ? `${others.slice(0, 3).join(', ')} …` : others.join(', ')
  throw new Error(`${folder} is not empty (${shown}): name a folder that is not there yet, or an empty one`)
}

/** Writes the files, and a copy of `brings` below vendor/; on a failure the place is as it was. */
export async function writeAll(
  { folder, isThere }: Place,
  files: ReadonlyMap<string, string>,
  brings: string | undefined,
): Promise<void> {
  const parent = isThere ? folder : dirname(folder)
  const half = await besideIn(parent, basename(folder)).catch((error: unknown) => {
    throw new Error(`${folder} cannot be made: ${fileReason(error)}`)
  })
  try {
    const made = join(half, 'made')
    for (const [name, text] of files) {
      await mkdir(dirname(join(made, name)), { recursive: true })
      await writeFile(join(made, name), text)
    }
    if (brings !== undefined) {
      await mkdir(join(made, 'vendor'))
      await copyFile(brings, join(made, 'vendor', basename(brings)))
    }
    await (isThere ? moveEach(made, folder) : rename(made, folder))
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

async function besideIn(parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  return mkdtemp(join(parent, `.${name}-`))
}

/** Keeps the folder itself, because somebody's shell may be in it. */
async function moveEach(from: string, to: string): Promise<void> {
  const moved: string[] = []
  try {
    for (const name of await readdir(from)) {
      await rename(join(from, name), join(to, name))
      moved.push(join(to, name))
    }
  } catch (error) {
    for (const path of moved) await rm(path, { recursive: true, force: true })
    throw error
  }
}
