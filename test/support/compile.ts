/** What the compiler of this repository says of files that stand in no project. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Compiles files under the project's own settings and `settings`; nothing where nothing is wrong. */
export function compile(files: Readonly<Record<string, string>>, settings: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-types-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    noEmit: true,
    incremental: false,
    rootDir: folder,
    types: [],
    typeRoots: [resolve('node_modules/@types')],
    tsBuildInfoFile: null,
    ...settings,
  }
  const config = { extends: resolve('tsconfig.json'), compilerOptions, include: [folder], exclude: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  try {
    return execFileSync(process.execPath, [resolve('node_modules/typescript/bin/tsc')], {
      cwd: folder,
      encoding: 'utf8',
    })
  } catch (error) {
    return String(Reflect.get(Object(error), 'stdout'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The lines of a file that the compiler complains of. */
export function wrongLines(said: string, file: string): readonly number[] {
  return [...said.matchAll(/^(\S+?)\((\d+),/gm)].filter(([, name]) => name === file).map(([, , line]) => Number(line))
}
