/** ⇄ The changelog: one entry for each file of engine/changes/<version>, by version and area, in the words of users. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from '../definition/parse.ts'

/** One change that users notice. */
export interface Change {
  readonly version: string
  readonly area: string
  /** What is new. */
  readonly new: string
  /** What a user must do. */
  readonly do?: string
  /** What happens to the data of a user. */
  readonly data?: string
}

/** `words` are those that `plinth upgrade` replaces. */
const KEYS = ['area', 'new', 'do', 'data', 'words']
/** The areas in the order of the page. */
const AREAS = ['The language', 'The API', 'Commands', 'Operating', 'Plugins', 'The desk', 'Documents']

/** The changes of every version; throws a sentence where one cannot be read. */
export async function readChanges(folder: string): Promise<readonly Change[]> {
  const versions = (await readdir(folder)).sort()
  return (await Promise.all(versions.map((version) => changesOf(folder, version)))).flat()
}

async function changesOf(folder: string, version: string): Promise<readonly Change[]> {
  const names = (await readdir(join(folder, version))).filter((name) => name.endsWith('.yaml')).sort()
  return Promise.all(
    names.map(async (name) => {
      const file = join(version, name)
      const { value, diagnostics } = parseDocument({ file, text: await readFile(join(folder, file), 'utf8') })
      const change = value?.value as Omit<Change, 'version'> | undefined
      const unknown = Object.keys(change ?? {}).filter((key) => !KEYS.includes(key))
      if (change === undefined || diagnostics.length > 0 || unknown.length > 0 || !AREAS.includes(change.area))
        throw new Error(
          `${file} is no change: ${[...diagnostics.map(({ message }) => message), ...unknown].join(', ')}`,
        )
      return { ...change, version }
    }),
  )
}

/** The page of all changes, the newest version first. */
export function changelog(changes: readonly Change[]): string {
  const versions = [...new Set(changes.map(({ version }) => version))].sort((a, b) =>
    b.localeCompare(a, 'en', { numeric: true }),
  )
  const parts = versions.map((version) => {
    const of = changes.filter((change) => change.version === version)
    const areas = AREAS.flatMap((area) => {
      const entries = of.filter((change) => change.area === area).map(entry)
      return entries.length === 0 ? [] : [`### ${area}\n\n${entries.join('\n')}`]
    })
    return `## ${version}\n\n${areas.join('\n\n')}`
  })
  return `# Changes\n\nWhat is new in each version, what an upgrade asks of you, and what happens to your data. \`npm run docs\` makes this page from the files of \`engine/changes\`.\n\n${parts.join('\n\n')}\n`
}

function entry({ new: what, do: must, data }: Change): string {
  const more = [must === undefined ? '' : ` **You must:** ${must}`, data === undefined ? '' : ` **Your data:** ${data}`]
  return `- ${what}${more.join('')}`
}
