/** ⇄ The environment of the process with what a .env file beside it adds. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

/** The variables of a `.env` file in `folder`, where there is one, under those that are set already. */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Readonly<Record<string, string | undefined>> {
  let text: string
  try {
    text = readFileSync(`${folder}/.env`, 'utf8')
  } catch {
    return env
  }
  return { ...parseEnv(text), ...env }
}
