/**
 * The commands of git, with the options that a rule may allow. An option in this table runs no program and writes no file
 * that it names. A command or an option outside this table requires approval.
 *
 * `-a`, `--all`: an option without a value. `-m=`, `--message=`: a value is required, in the same word or in the next one.
 * `-u[=]`, `--color[=]`: a value is possible, in the same word only. `-#`: a number.
 */
const DIFF = `
  -p -u --patch -s --no-patch -U[=] --unified[=] --raw --patch-with-raw --patch-with-stat --minimal --patience
  --histogram --diff-algorithm= --anchored= --indent-heuristic --no-indent-heuristic --stat[=] --compact-summary
  --numstat --shortstat --dirstat[=] -X[=] --cumulative --summary -z --name-only --name-status --submodule[=] --color[=]
  --no-color --color-moved[=] --no-color-moved --color-moved-ws= --word-diff[=] --word-diff-regex= --color-words[=]
  --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --binary --abbrev[=]
  --no-abbrev -B[=] --break-rewrites[=] -M[=] --find-renames[=] -C[=] --find-copies[=] --find-copies-harder -D
  --irreversible-delete -l= --diff-filter= -S= -G= --find-object= --pickaxe-all --pickaxe-regex --skip-to= --rotate-to=
  -R --relative[=] --no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w
  --ignore-all-space --ignore-blank-lines -I= --ignore-matching-lines= --inter-hunk-context= -W --function-context
  --exit-code --quiet --no-ext-diff --no-textconv --ignore-submodules[=] --src-prefix= --dst-prefix= --no-prefix
  --line-prefix= --ita-invisible-in-index`;
const REVISIONS = `
  -# -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep-reflog= --grep=
  --all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P
  --perl-regexp --remove-empty --merges --no-merges --min-parents= --max-parents= --first-parent --not --all
  --branches[=] --tags[=] --remotes[=] --glob= --exclude= --reflog --ignore-missing --cherry-mark --cherry-pick
  --left-only --right-only --cherry -g --walk-reflogs --merge --boundary --simplify-by-decoration --full-history --dense
  --sparse --simplify-merges --ancestry-path --date-order --author-date-order --topo-order --reverse --no-walk[=]
  --pretty[=] --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= --expand-tabs[=] --no-expand-tabs
  --notes[=] --no-notes --relative-date --date= --parents --children --left-right --graph --count --full-diff`;
const LOG = `${DIFF} ${REVISIONS}
  --follow --decorate[=] --no-decorate --decorate-refs= --decorate-refs-exclude= --source --mailmap --no-mailmap
  --use-mailmap --log-size -L= -c --cc -m --diff-merges= -r -t --root`;
const MERGING = `-X= --strategy-option= --rerere-autoupdate --no-rerere-autoupdate --no-gpg-sign`;
const PATHS = '--pathspec-from-file= --pathspec-file-nul';
const STASH = '-q --quiet -u --include-untracked -a --all -k --keep-index --no-keep-index -S --staged -m= --message=';
const QUERY = '--contains[=] --no-contains[=] --merged[=] --no-merged[=] --sort= --points-at= --format= --color[=]';
const CONFIG = '--local --global --system --worktree --show-origin --show-scope --type= --bool --int -z --null';

/** By command, or by command and its first argument: `stash push`. */
const OPTIONS: Record<string, string> = {
  add: `-n --dry-run -v --verbose -f --force -u --update -N --intent-to-add -A --all --no-all --ignore-removal
    --no-ignore-removal --refresh --ignore-errors --ignore-missing --renormalize --sparse --chmod= ${PATHS}`,
  apply: `--stat --numstat --summary --check --index --cached -N --intent-to-add -3 --3way -R --reverse --reject -z -p= -C=
    --unidiff-zero --apply --no-add --directory= --include= --exclude= --ignore-space-change --ignore-whitespace
    --whitespace= -v --verbose --recount --inaccurate-eof`,
  'bisect bad': '',
  'bisect good': '',
  'bisect log': '',
  'bisect new': '',
  'bisect old': '',
  'bisect reset': '',
  'bisect skip': '',
  'bisect start': '--no-checkout --first-parent',
  blame: `-b --root --show-stats -L= -l -t -S= --reverse --first-parent -p --porcelain --line-porcelain --incremental
    --encoding= --date= -M[=] -C[=] -c --score-debug -f --show-name -n --show-number -s -e --show-email -w --abbrev=
    --ignore-rev= --ignore-revs-file= --color-lines --color-by-age --progress --no-progress`,
  branch: `-d --delete -D -m --move -M -c --copy -C -f --force -v --verbose -q --quiet -a --all -r --remotes -l --list
    --show-current --column[=] --no-column ${QUERY} -u= --set-upstream-to= --unset-upstream -t --track[=] --no-track
    --create-reflog --abbrev[=] --no-abbrev -i --ignore-case`,
  'cat-file': '-t -s -e -p --batch[=] --batch-check[=] --buffer --unordered --batch-all-objects',
  'check-ignore': '-q --quiet -v --verbose -n --non-matching --no-index -z',
  checkout: `-q --quiet --progress --no-progress -f --force --ours --theirs -b= -B= -t --track[=] --no-track --guess
    --no-guess -l -d --detach --orphan= -m --merge --conflict= --ignore-other-worktrees --overlay --no-overlay
    --recurse-submodules --no-recurse-submodules ${PATHS}`,
  'cherry-pick': `-n --no-commit -x -s --signoff -m= --mainline= --continue --quit --abort --skip --ff --allow-empty
    --allow-empty-message --keep-redundant-commits --cleanup= ${MERGING}`,
  clean: '-d -f --force -q --quiet -n --dry-run -e= --exclude= -x -X',
  clone: `-v --verbose -q --quiet --progress --no-progress -n --no-checkout --bare --no-local --no-hardlinks -o= --origin=
    -b= --branch= --depth= --shallow-since= --shallow-exclude= --single-branch --no-single-branch --no-tags
    --recurse-submodules[=] --shallow-submodules --filter= --sparse -4 --ipv4 -6 --ipv6 -j= --jobs=`,
  commit: `-q --quiet -v --verbose -a --all -m= --message= -F= --file= --author= --date= -C= --reuse-message= --fixup=
    --squash= --reset-author --trailer= -s --signoff --no-signoff --no-edit --cleanup= --status --no-status -i --include
    -o --only -n --no-verify --verify --dry-run --short --branch --porcelain --long -z --null --amend --no-post-rewrite
    -u[=] --untracked-files[=] ${PATHS} --allow-empty --allow-empty-message --no-gpg-sign`,
  'config --get': CONFIG,
  'config --get-all': CONFIG,
  'config --get-regexp': `${CONFIG} --name-only`,
  'config --list': `${CONFIG} --name-only`,
  'config -l': `${CONFIG} --name-only`,
  'count-objects': '-v --verbose -H --human-readable',
  describe: `--contains --debug --all --tags --long --first-parent --abbrev[=] --exact-match --candidates= --match=
    --exclude= --always --dirty[=] --broken[=]`,
  diff: `${LOG} --cached --staged --merge-base --no-index --base --ours --theirs`,
  'diff-index': `${DIFF} --cached -m -r -t --merge-base`,
  'diff-tree': `${LOG} --no-commit-id -v`,
  fetch: `-v --verbose -q --quiet --all -a --append --atomic -f --force -m --multiple -t --tags -n --no-tags -j= --jobs=
    -p --prune --no-prune -P --prune-tags --recurse-submodules[=] --no-recurse-submodules --dry-run -k --keep --progress
    --no-progress --depth= --shallow-since= --shallow-exclude= --deepen= --unshallow --refetch --update-shallow -4 --ipv4
    -6 --ipv6 --filter= --show-forced-updates --no-show-forced-updates --set-upstream`,
  'for-each-ref': `--count= ${QUERY} --ignore-case`,
  fsck: `--unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --full --no-full --strict -v --verbose
    --progress --no-progress --connectivity-only --name-objects`,
  gc: '--auto --aggressive --prune[=] --no-prune -q --quiet',
  grep: `--cached --no-index --untracked --no-exclude-standard --exclude-standard --recurse-submodules -a --text -i
    --ignore-case -I -r --recursive --no-recursive --max-depth= -w --word-regexp -v --invert-match -h -H --full-name -E
    --extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -n --line-number --column -l
    --files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count --color[=]
    --no-color --break --heading -p --show-function -C= --context= -A= --after-context= -B= --before-context= -W
    --function-context --threads= -m= --max-count= -f= -e= --and --or --not --all-match -q --quiet -#`,
  init: '-q --quiet --bare -b= --initial-branch=',
  log: LOG,
  'ls-files': `-c --cached -d --deleted -o --others -i --ignored -s --stage -u --unmerged -k --killed -m --modified
    --directory --no-empty-directory --eol --deduplicate -z -x= --exclude= -X= --exclude-from= --exclude-standard
    --error-unmatch --with-tree= -t -v -f --full-name --recurse-submodules --abbrev[=] --format=`,
  'ls-remote': '-h --heads -t --tags --refs -q --quiet --exit-code --get-url --sort= --symref',
  'ls-tree': '-d -r -t -l --long -z --name-only --name-status --full-name --full-tree --abbrev[=] --format=',
  merge: `-n --stat --no-stat --summary --log[=] --no-log --squash --no-squash --commit --no-commit --no-edit --ff --no-ff
    --ff-only --no-verify-signatures -m= -F= --file= -v --verbose -q --quiet --abort --continue --quit
    --allow-unrelated-histories --progress --no-progress --autostash --no-autostash --signoff --no-signoff --verify
    --no-verify --cleanup= ${MERGING}`,
  'merge-base': '-a --all --octopus --independent --is-ancestor --fork-point',
  mv: '-f --force -k -n --dry-run -v --verbose --sparse',
  'name-rev': '--tags --refs= --exclude= --all --name-only --no-undefined --always',
  pull: `-v --verbose -q --quiet --progress --no-progress --recurse-submodules[=] --no-recurse-submodules -r[=] --rebase[=]
    --no-rebase -n --stat --no-stat --log[=] --no-log --signoff --no-signoff --squash --no-squash --commit --no-commit
    --no-edit --cleanup= --ff --no-ff --ff-only --verify --no-verify --autostash --no-autostash --all -a --append -f
    --force -t --tags -p --prune -j= --jobs= --dry-run -k --keep --depth= --shallow-since= --deepen= --unshallow
    --update-shallow -4 --ipv4 -6 --ipv6 --set-upstream --allow-unrelated-histories -X= --strategy-option=
    --no-gpg-sign`,
  push: `-v --verbose -q --quiet --tags -n --dry-run --porcelain -u --set-upstream --progress --no-progress --thin --no-thin
    --verify --no-verify --follow-tags --atomic -4 --ipv4 -6 --ipv6 --recurse-submodules= --no-recurse-submodules -o=
    --push-option=`,
  rebase: `--onto= --keep-base --verify --no-verify -q --quiet -v --verbose -n --no-stat --stat --signoff
    --committer-date-is-author-date --reset-author-date --ignore-date -C= --ignore-whitespace --whitespace= -f
    --force-rebase --no-ff --continue --skip --abort --quit --apply -m --merge --autostash --no-autostash --autosquash
    --no-autosquash --keep-empty -r[=] --rebase-merges[=] --no-rebase-merges --fork-point --no-fork-point --root
    --reapply-cherry-picks --no-reapply-cherry-picks --update-refs --no-update-refs ${MERGING}`,
  reflog: LOG,
  'reflog exists': '',
  'reflog show': LOG,
  remote: '-v --verbose',
  'remote add': '-t= -m= --tags --no-tags',
  'remote get-url': '--push --all',
  'remote prune': '-n --dry-run',
  'remote remove': '',
  'remote rename': '',
  'remote show': '-n',
  reset: `-q --quiet --soft --mixed --hard --merge --keep -N --intent-to-add --refresh --no-refresh
    --recurse-submodules[=] --no-recurse-submodules ${PATHS}`,
  restore: `-s= --source= -W --worktree -S --staged -q --quiet --progress --no-progress -2 --ours -3 --theirs -m --merge
    --conflict= --ignore-unmerged --overlay --no-overlay --recurse-submodules --no-recurse-submodules ${PATHS}`,
  'rev-list': `${REVISIONS} --objects --disk-usage --header --timestamp --quiet`,
  'rev-parse': `--verify -q --quiet --short[=] --abbrev-ref[=] --symbolic --symbolic-full-name --all --branches[=] --tags[=]
    --remotes[=] --absolute-git-dir --git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree
    --is-bare-repository --is-shallow-repository --show-prefix --show-cdup --show-toplevel
    --show-superproject-working-tree --show-object-format[=]`,
  revert: `-n --no-commit --no-edit -m= --mainline= -s --signoff --continue --quit --abort --skip --cleanup= --reference
    ${MERGING}`,
  rm: `-f --force -n --dry-run -r --cached --ignore-unmatch --sparse -q --quiet ${PATHS}`,
  shortlog: `${REVISIONS} -n --numbered -s --summary -e --email -w[=] -c --committer --group=`,
  show: LOG,
  'show-ref': '--head --tags --heads -d --dereference -s --hash[=] --verify --abbrev[=] -q --quiet',
  stash: STASH,
  'stash apply': '--index -q --quiet',
  'stash branch': '',
  'stash clear': '',
  'stash drop': '-q --quiet',
  'stash list': LOG,
  'stash pop': '--index -q --quiet',
  'stash push': `${STASH} ${PATHS}`,
  'stash show': `${DIFF} --include-untracked --only-untracked`,
  status: `-s --short -b --branch --show-stash --porcelain[=] --long -v --verbose -u[=] --untracked-files[=]
    --ignore-submodules[=] --ignored[=] -z --column[=] --no-column --ahead-behind --no-ahead-behind --renames
    --no-renames -M[=] --find-renames[=]`,
  'submodule init': '-q --quiet',
  'submodule status': '-q --quiet --cached --recursive',
  'submodule sync': '-q --quiet --recursive',
  'submodule update': `-q --quiet --progress -i --init --recursive -N --no-fetch --depth= -j= --jobs= --checkout -f --force
    --single-branch --remote`,
  switch: `-c= --create= -C= --force-create= -d --detach --guess --no-guess --discard-changes -f --force -q --quiet
    --progress --no-progress -t --track[=] --no-track --orphan= --ignore-other-worktrees -m --merge --conflict=
    --recurse-submodules --no-recurse-submodules`,
  tag: `-l --list -n[=] -d --delete -a --annotate -m= --message= -F= --file= --cleanup= -f --force --create-reflog
    --column[=] --no-column ${QUERY} -i --ignore-case --no-sign`,
  whatchanged: LOG,
  'worktree add': `-f --force --detach --checkout --no-checkout --lock --reason= -b= -B= -q --quiet --track --no-track
    --guess-remote --no-guess-remote`,
  'worktree list': '-v --verbose --porcelain -z',
  'worktree lock': '--reason=',
  'worktree move': '-f --force',
  'worktree prune': '-n --dry-run -v --verbose --expire=',
  'worktree remove': '-f --force',
  'worktree unlock': '',
};

/** The value of an option: none, required, or possible in the same word only. */
export type TakesValue = 'no' | 'yes' | 'attached';

/** Options of each command of the table, by name with its dashes. */
export const GIT_OPTIONS: ReadonlyMap<string, ReadonlyMap<string, TakesValue>> = new Map(
  Object.entries(OPTIONS).map(([command, options]) => [
    command,
    new Map(
      options
        .trim()
        .split(/\s+/)
        .map((option) => [
          option.replace(/\[?=\]?$/, ''),
          option.endsWith('[=]') ? 'attached' : option.endsWith('=') ? 'yes' : 'no',
        ]),
    ),
  ]),
);
