/** Applications in folders of their own, as people would make them: YAML and plugins written to disk. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readCatalog } from '../../engine/boot/boot.ts'

export interface Application {
  readonly directory: string
  readonly boot: () => ReturnType<typeof readCatalog>
  readonly remove: () => void
}

/** Writes files, `resources/app.yaml: text`, into a new folder. */
export function application(files: Readonly<Record<string, string>>): Application {
  const directory = mkdtempSync(join(tmpdir(), 'plinth-app-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const options = { resourcesDir: join(directory, 'resources'), pluginsDir: join(directory, 'plugins') }
  return { directory, boot: () => readCatalog(options), remove: () => rmSync(directory, { recursive: true }) }
}

/** What a boot of these files says, as `code: message`, with the file where there is one. */
export async function saysAtBoot(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const app = application(files)
  const { diagnostics } = await app.boot()
  app.remove()
  return diagnostics
    .filter((diagnostic) => diagnostic.severity !== 'warning')
    .map(({ code, message, span, hint }) => {
      const file = span === undefined ? '' : `${span.source.file.replace(/^.*\/resources\//, '')} `
      const marked = span === undefined ? '' : `[${span.source.text.slice(span.start, span.end).split('\n')[0]}] `
      return `${file}${marked}${code}: ${message}${hint === undefined ? '' : ` (${hint.replaceAll(/\S*plinth-app-\w+\//g, '')})`}`
    })
}
