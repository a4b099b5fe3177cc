/** ⇄ `npm run docs`: writes the tables of every page from the code, and the changelog from its entries. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { changelog, readChanges } from './changelog.ts'
import { filled } from './page.ts'
import { pluginTables } from './plugin-tables.ts'
import { TABLES } from './tables.ts'

const CHANGELOG = 'engine/CHANGELOG.md'
const FOLDERS = ['engine', 'plugins', 'resources', 'test']

/** Every page of the project by its path. */
export async function pages(): Promise<readonly string[]> {
  const found = await Promise.all(FOLDERS.map((folder) => readdir(folder, { recursive: true })))
  const below = found.flatMap((names, at) => names.map((name) => join(FOLDERS[at] ?? '', name)))
  return ['README.md', ...below].filter((path) => path.endsWith('.md') && !path.includes('node_modules')).sort()
}

/** Pages that are older than what they are made from, by their path, with what they should be. */
export async function oldPages(): Promise<ReadonlyMap<string, string>> {
  const tables = { ...TABLES, ...(await pluginTables('plugins')) }
  const old = new Map<string, string>()
  for (const path of await pages()) {
    const text = await readFile(path, 'utf8')
    const now = filled(text, tables)
    if (now !== text) old.set(path, now)
  }
  const changes = changelog(await readChanges('engine/changes'))
  const kept = await readFile(CHANGELOG, 'utf8').catch(() => '')
  if (kept !== changes) old.set(CHANGELOG, changes)
  return old
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, text] of await oldPages()) {
    await writeFile(path, text)
    console.log(path)
  }
}
