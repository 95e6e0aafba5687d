# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-gang.fish - completion of --gang... for sbatch, srun and salloc in fish
#
# The options and their words are those that the command's --help lists. fish
# reads this when it starts.

function __slurm_gang_options
    set -l command (commandline -opc)[1]
    set -l token (commandline -ct)

    if string match -q -- '--gang=*' $token
        sgang list --noheader --format=%j --me 2>/dev/null |
            string replace -r -- "^$USER/" '--gang='
    else if string match -q -- '--gang*=*' $token
        set -l option (string replace -r -- '=.*' '' $token)
        $command --help 2>/dev/null |
            string replace -rf -- "^ *$option=(\S*\|\S*).*" '$1' |
            string split '|' | string replace -r -- '[[@]*[A-Z].*' '' |
            string match -v -- '' | string replace -r -- '^' "$option="
    else
        $command --help 2>/dev/null |
            string replace -rf -- '^ *(--gang[a-z-]*=).*' '$1'
    end
end

for command in sbatch srun salloc
    complete -c $command -n 'string match -q -- "--g*" (commandline -ct)' \
        -a '(__slurm_gang_options)'
end
