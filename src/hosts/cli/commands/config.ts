/** `triad config`: the commands about settings. */
import type { Command } from 'commander';
import type { Exit, Io } from '../terminal/io.ts';
import { addConfigEdit } from './config/edit.ts';
import { addConfigGet } from './config/get.ts';
import { addConfigKey } from './config/key.ts';
import { addConfigPrices } from './config/prices.ts';
import { addConfigSet } from './config/set.ts';
import { addConfigValidate } from './config/validate.ts';
import { addGroup } from './group.ts';

export function addConfig(program: Command, io: Io, exit: Exit): void {
  const config = addGroup(program, 'config', 'read and change settings, by dotted path');
  addConfigGet(config, io);
  addConfigSet(config, io);
  addConfigEdit(config, io, exit);
  addConfigPrices(config, io);
  addConfigKey(config, io);
  addConfigValidate(config, io, exit);
}
