/** ⇄ For `node --import`: test files that run afterwards may be TypeScript, and `'plinth'` is this engine. */
import { setFlagsFromString } from 'node:v8'
import { registerHooks } from './modules.ts'

// A test file opens the embedded database, and soon ends; see the commands in cli/main.ts.
setFlagsFromString('--liftoff-only')
registerHooks()
