/** The client that `plinth client` makes, as source and as a module. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { plinth } from '../cli/world.ts'

/** A request's answer as clients give it. */
export interface Answered {
  readonly data: unknown
  readonly meta: unknown
  readonly message?: string
  readonly status: number
  readonly etag: string | undefined
  readonly headers: Headers
}

/** The methods of a client by name; what is typed of them is compiled in test/openapi/client.test.ts. */
// biome-ignore lint/suspicious/noExplicitAny: the types of a client that is made here are not known here
export type AnyClient = Readonly<Record<string, any>>

interface ClientModule {
  // biome-ignore lint/suspicious/noExplicitAny: the types of a client that is made here are not known here
  readonly [name: string]: any
  createClient(options: object): AnyClient
}

/** The source of the client of an application. */
export async function clientSource(resourcesDir: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, complained, said } = await plinth(['client'], { RESOURCES_DIR: resourcesDir, ...env })
  if (code !== 0) throw new Error(complained)
  return `${said}\n`
}

/** The client of an application, imported. */
export async function clientOf(
  resourcesDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ClientModule> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-client-'))
  try {
    const file = join(folder, 'client.mts')
    await writeFile(file, await clientSource(resourcesDir, env))
    return (await import(pathToFileURL(file).href)) as ClientModule
  } finally {
    await rm(folder, { recursive: true })
  }
}
