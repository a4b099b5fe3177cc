/** ⇄ Programs of earlier versions, built from their commits in the history of this project. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpacked } from '../upgrade/archive.ts'

const SETS = join(import.meta.dirname, '../upgrade/sets')

/** The commit from which a version was released: that of its set of data. */
export async function commitOf(version: string): Promise<string> {
  const text = String(await unpacked(readFileSync(join(SETS, version, 'postgres.json.br'))))
  return (JSON.parse(text) as { readonly commit: string }).commit
}

export function run(command: string, args: readonly string[], cwd = process.cwd()): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e9 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** Packages, as a package.json and a lock want them. */
function wantedIn(folder: string): string {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return JSON.stringify([dependencies, Object.keys(devDependencies).includes('tsx')])
}

/** The packages of this project where they are those of the version too, without a copy of their contents. */
function installPackages(folder: string): void {
  const modules = realpathSync('node_modules')
  const isSame = wantedIn(folder) === wantedIn('.')
  const copied = isSame && spawnSync('cp', ['-al', modules, join(folder, 'node_modules')]).status === 0
  if (!copied) run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], folder)
}

/**
 * The folder of the program of a commit, built; the next one that asks finds it. Rejects with a sentence in a clone without
 * that commit.
 */
export function earlierProgram(commit: string): string {
  const kept = join(tmpdir(), `plinth-program-${commit}`)
  if (existsSync(join(kept, 'dist/.built'))) return kept
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status !== 0)
    throw new Error(`This clone has no commit ${commit}: run git fetch --unshallow`)
  const folder = mkdtempSync(join(tmpdir(), 'plinth-program-'))
  try {
    run('git', ['clone', '--quiet', '--no-checkout', process.cwd(), folder])
    run('git', ['checkout', '--quiet', commit], folder)
    installPackages(folder)
    run('node', ['engine/build.mjs'], folder)
    rmSync(kept, { recursive: true, force: true })
    renameSync(folder, kept)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return kept
}

/** The desk's files of a program in a folder, with sign-ins that last: data is opened for years. */
export function lastingDesk(program: string, folder: string): void {
  cpSync(join(program, 'resources'), folder, { recursive: true })
  const app = join(folder, 'app.yaml')
  writeFileSync(app, readFileSync(app, 'utf8').replace('token_days: 30 ', 'token_days: 3650 '))
}
